import { IsStorableLine, ParseText } from '../platform/http/validation.js'

/** Long enough to mean something, short enough for a list. */
const MIN_LENGTH = 3
const MAX_LENGTH = 300

/** The body of every change: why it is made, in one line that the account can read. */
export class ReasonBody {
  @ParseText(text => text.trim().replace(/\s+/g, ' '))
  @IsStorableLine({ min: MIN_LENGTH, max: MAX_LENGTH })
  reason!: string
}
