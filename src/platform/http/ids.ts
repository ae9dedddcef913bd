import { Injectable, type PipeTransform } from '@nestjs/common'
import { ApiError } from '../errors/api-error.js'

/** Part of a regular expression: an id exactly as we issue it, byte for byte. */
export const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
export const UUID_PATTERN = new RegExp(`^${UUID}$`)

export function isId(text: string): boolean {
  return UUID_PATTERN.test(text)
}

/** A malformed id is `NOT_FOUND` (404), like an unknown one. */
@Injectable()
export class IdInPath implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!isId(text)) throw new ApiError('NOT_FOUND')
    return text
  }
}
