import { isEmail } from 'class-validator'
import { type About, field, ParseText, Rule } from '../platform/http/fields.js'

/** An e-mail address in canonical form, as stored and compared. */
export type Email = string & { readonly brand: 'Email' }

/** RFC 5321 §4.5.3.1.3, minus the angle brackets. */
const MAX_LENGTH = 254

/**
 * Trimmed, ASCII letters in lower case, at most 254 characters; null when the text is not an address. Only
 * ASCII is accepted: Unicode's case rules make different mailboxes equal (the 2016 GitHub bounty,
 * CVE-2019-19844). Quoted local parts (RFC 5321 §4.1.2) are refused: `"rosa"@` is another spelling of rosa's
 * mailbox, and `"r\\osa"@` is yet another.
 */
export function canonicalEmail(text: string): Email | null {
  const email = text.trim().replace(/[A-Z]/g, letter => letter.toLowerCase())
  const isAddress = email.length <= MAX_LENGTH && /^[\x21\x23-\x7e]+$/.test(email) && isEmail(email)
  return isAddress ? (email as Email) : null
}

/** For body fields: accepts what {@link canonicalEmail} accepts, and makes it canonical. */
export const EmailAddress = (about: About = {}) =>
  field(
    { type: String, format: 'email', maxLength: MAX_LENGTH },
    about,
    ParseText(canonicalEmail),
    Rule(
      'isEmailAddress',
      value => typeof value === 'string' && canonicalEmail(value) === value,
      `must be an e-mail address of at most ${MAX_LENGTH} ASCII characters`,
    ),
  )
