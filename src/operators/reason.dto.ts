import { IsString, Length, Matches } from 'class-validator'
import { ParseText } from '../http/request-validation.js'

/** Long enough to mean something, short enough for a list. */
const MIN_LENGTH = 3
const MAX_LENGTH = 300

/** The body of every change: why it is made, in one line that the account can read. */
export class ReasonBody {
  @ParseText(text => text.trim().replace(/\s+/g, ' '))
  @Matches(/^[^\p{Cc}\p{Cs}]+$/u)
  @Length(MIN_LENGTH, MAX_LENGTH)
  @IsString()
  reason!: string
}
