import { Injectable, type PipeTransform } from '@nestjs/common'
import { ApiError } from '../errors/api-error.js'

/** Exactly as we issue it, byte for byte. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function isId(text: string): boolean {
  return UUID.test(text)
}

/** A malformed id is `NOT_FOUND` (404), like an unknown one. */
@Injectable()
export class IdInPath implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!isId(text)) throw new ApiError('NOT_FOUND')
    return text
  }
}
