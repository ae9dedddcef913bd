import { applyDecorators } from '@nestjs/common'
import { IsString, Length, Matches } from 'class-validator'

/**
 * In no text of one line that we store, as the inside of a regular expression's brackets: control characters (a database
 * refuses NUL), unpaired surrogates, and what would have a reader see another text: line separators, and characters that
 * change the direction of what follows (Unicode TR 36 §2.10.3).
 */
export const UNSTORABLE = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069`
const STORABLE = new RegExp(`^[^${UNSTORABLE}]+$`, 'u')

/** For fields that are stored or searched for: one line of text, of `min` to `max` UTF-16 units. */
export function IsStorableLine({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(IsString(), Length(min, max), Matches(STORABLE))
}
