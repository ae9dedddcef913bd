import { applyDecorators } from '@nestjs/common'
import { type About, field, Line, ParseText, Rule, UNSTORABLE } from '../platform/http/fields.js'

const MAX_LENGTH = 100

/** Names appear in mails and lists beside those of other people. */
const FORBIDDEN_CHARACTERS = new RegExp(`[${UNSTORABLE}]`, 'u')
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether text can be the name of a person or an account: 1 to 100 characters, no leading or trailing spaces. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_LENGTH &&
    value === value.trim() &&
    VISIBLE.test(value) &&
    !FORBIDDEN_CHARACTERS.test(value)
  )
}

/** For body fields: what {@link isName} accepts. */
export const Name = (about: About = {}) =>
  field(
    { type: String, minLength: 1, maxLength: MAX_LENGTH },
    about,
    Rule('isName', isName, `must be one line of 1 to ${MAX_LENGTH} characters without spaces around`),
  )

/** For query fields: a part of a name or e-mail address to search for, trimmed. */
export const PartOfName = (description: string) =>
  applyDecorators(
    ParseText(text => text.trim()),
    Line({ optional: true, min: 1, max: MAX_LENGTH, description }),
  )
