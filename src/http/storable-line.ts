import { applyDecorators } from '@nestjs/common'
import { IsString, Length, Matches } from 'class-validator'

/**
 * Without control characters, of which a database refuses NUL, unpaired surrogates, and what would have whoever reads
 * the line see another one: line separators and marks that turn the direction of text.
 */
const STORABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u

/** For fields that are stored or searched for: one line of text, of `min` to `max` UTF-16 units. */
export function IsStorableLine({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(IsString(), Length(min, max), Matches(STORABLE))
}
