import { applyDecorators } from '@nestjs/common'
import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional, type ValidationOptions } from 'class-validator'
import { FromText } from './from-text.js'

const BASE64URL = /^[A-Za-z0-9_-]{2,80}$/
const PROBLEM = { message: 'after must be the next of a page before' }

/**
 * Where the page before ended. `asPlace` makes of a cursor what the list goes by, null of any other text; `IsPlace` is the
 * check that it did.
 */
export const PageCursor = (
  asPlace: (text: string) => unknown,
  IsPlace: (options: ValidationOptions) => PropertyDecorator,
) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description: '`next` of the page before' }),
    FromText(asPlace),
    IsPlace(PROBLEM),
    IsOptional(),
  )

/** What a page ended with, as text for `?after=` that nobody is tempted to read. */
export function asCursor(place: string): string {
  return Buffer.from(place).toString('base64url')
}

/** What {@link asCursor} made the text of, where that is of `form`; null for any other text. */
export function placeIn(cursor: string, form: RegExp): string | null {
  const place = BASE64URL.test(cursor) ? Buffer.from(cursor, 'base64url').toString('latin1') : ''
  return form.test(place) && asCursor(place) === cursor ? place : null
}
