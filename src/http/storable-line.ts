import { applyDecorators } from '@nestjs/common'
import { IsString, Length, Matches } from 'class-validator'

/** Without control characters, of which a database refuses NUL, and unpaired surrogates. */
const STORABLE = /^[^\p{Cc}\p{Cs}]+$/u

/** For fields that are stored or searched for: one line of text, of `min` to `max` UTF-16 units. */
export function IsStorableLine({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(IsString(), Length(min, max), Matches(STORABLE))
}
