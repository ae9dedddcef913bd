import { applyDecorators } from '@nestjs/common'
import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional, type ValidationOptions } from 'class-validator'
import { ParseText } from './parse-text.js'

const BASE64URL = /^[A-Za-z0-9_-]{2,80}$/
const PROBLEM = { message: 'after must be the next of an earlier page' }

/**
 * Where the previous page ended. `asPlace` parses a cursor, null for any other text; `IsPlace` checks the
 * result.
 */
export const PageCursor = (
  asPlace: (text: string) => unknown,
  IsPlace: (options: ValidationOptions) => PropertyDecorator,
) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description: '`next` of the previous page' }),
    ParseText(asPlace),
    IsPlace(PROBLEM),
    IsOptional(),
  )

/** The end of a page as opaque text for `?after=`. */
export function asCursor(place: string): string {
  return Buffer.from(place).toString('base64url')
}

/** The text that {@link asCursor} was given, if it has this `form`; null otherwise. */
export function positionIn(cursor: string, form: RegExp): string | null {
  const place = BASE64URL.test(cursor) ? Buffer.from(cursor, 'base64url').toString('latin1') : ''
  return form.test(place) && asCursor(place) === cursor ? place : null
}
