/**
 * Everything that can be wrong with one field. The code is part of the API; the sentence is its English text,
 * with `{values}` filled in. Null: the rule that the field breaks has its own message, for the client's
 * developer.
 */
export const FIELD_FAULTS = {
  UNKNOWN_FIELD: 'property {field} should not exist',
  NOT_VALID: '{field} is not valid',
  NOT_TEXT: null,
  NOT_A_BOOLEAN: null,
  NOT_AN_INTEGER: null,
  NOT_AN_OBJECT: null,
  NOT_A_LIST: null,
  NOT_A_TIME: null,
  NOT_A_UUID: null,
  NOT_AN_OPTION: null,
  WRONG_FORMAT: null,
  WRONG_LENGTH: null,
  TOO_SHORT: null,
  TOO_LONG: null,
  TOO_SMALL: null,
  TOO_LARGE: null,
  TOO_FEW: null,
  TOO_MANY: null,
  DUPLICATES: null,
  NOT_EXACTLY_ONE: null,
  NOT_A_PASSKEY: null,
  WRONG_CURSOR: 'after must be the next of an earlier page',

  NOT_AN_EMAIL:
    'This is not an e-mail address that we can use. It should look like name@example.com, in ASCII only (no ü or é)',
  NOT_A_NAME: 'Please enter 1 to 100 characters on one line, without spaces at either end',
  NOT_A_LOGO: 'This is not the address of a picture, such as https://shop.example.net/logo.png',
  NOT_A_COLOR: '{field} must be a colour such as #1d4ed8',
  NOT_A_SATELLITE: '{origin} is not the origin of a satellite of this account',
  NO_LIMIT: 'The member may log in everywhere: name the satellites to be left',
  SESSION_TOO_LONG: '{field} of a preview satellite must not be more than {max}',

  IDLE_TOO_SHORT: '{field} must be at least {min}, twice the life of an access token',

  PASSWORD_MISSING: 'Please enter your password',
  PASSWORD_LENGTH: 'Please choose a password of 8 to 1,024 characters',
  PASSWORD_COMMON: 'This is one of the most common passwords, which attackers try first.',
  PASSWORD_PERSONAL: 'Too much of the password is your name, your e-mail address or the name of this site.',
  PASSWORD_GUESSABLE: 'This password is too easy to guess.',
  PASSWORD_KEY_ROW: 'Straight rows of keys on your keyboard are easy to guess.',
  PASSWORD_KEY_PATTERN: 'Short keyboard patterns are easy to guess.',
  PASSWORD_REPEAT: 'Repeated characters like "aaa" are easy to guess.',
  PASSWORD_REPEATED_PATTERN: 'Repeated character patterns like "abcabcabc" are easy to guess.',
  PASSWORD_SEQUENCE: 'Common character sequences like "abc" are easy to guess.',
  PASSWORD_YEAR: 'Recent years are easy to guess.',
  PASSWORD_DATE: 'Dates are easy to guess.',
  PASSWORD_SIMILAR: 'This is similar to a commonly used password.',
  PASSWORD_WORD: 'Single words are easy to guess.',
  PASSWORD_NAME: 'Names and surnames are easy to guess.',

  ORIGIN_OURS: 'This is the main site, the API or the operator console itself',
  ORIGIN_ASTERISK: 'Only a preview satellite may have an asterisk in its origin',
  ORIGIN_NO_ASTERISK: 'The origin of a preview satellite has one asterisk: https://*.preview.example.com',
  ORIGIN_ASTERISK_PLACE: 'There may be one asterisk, in the left-most label of the host',
  ORIGIN_FORM: 'This is not an origin, such as https://shop.example.com',
  ORIGIN_PROTOCOL: 'An origin begins with https://',
  ORIGIN_SPELLING: 'Browsers send this origin as {origin}',
  ORIGIN_NOT_HTTPS: 'A satellite must use https',
  ORIGIN_PORT: 'A satellite must use port 443',
  ORIGIN_HOST: 'This is not the name of a host',
  ORIGIN_RESERVED: '{host} belongs to this service, with everything under it',
  ORIGIN_IP: 'An IP address cannot be a satellite; it needs a name',
  ORIGIN_NOT_PUBLIC: '{host} is not a name of the public internet',
  ORIGIN_SHARED: '{host} is shared by everybody who has a name under it',

  // What came back when the proof of a satellite was looked up.
  PROOF_OTHER_TEXTS: 'found {texts}, not the token',
  PROOF_NO_NAME: 'there is no such name',
  PROOF_NO_RECORD: 'the name has no TXT record',
  PROOF_SERVFAIL: 'the name server failed (SERVFAIL); DNSSEC may be wrong',
  PROOF_DNS_REFUSED: 'the name server refused to answer',
  PROOF_DNS_TIMEOUT: 'the name server did not answer in time',
  PROOF_DNS_UNREACHABLE: 'the name server cannot be reached',
  PROOF_DNS_FAILED: 'the look-up failed ({reason})',
  PROOF_NO_ADDRESS: 'the host has no public address',
  PROOF_CERTIFICATE: 'its certificate is not valid ({reason})',
  PROOF_CONNECTION_REFUSED: 'the server refused the connection',
  PROOF_CONNECTION_CLOSED: 'the server closed the connection',
  PROOF_TIMEOUT: 'no answer within 5 seconds',
  PROOF_REDIRECT: 'a redirect ({status})',
  PROOF_STATUS: 'status {status}',
  PROOF_TOO_LONG: 'more than 1 KiB',
  PROOF_REQUEST_FAILED: 'the request failed ({reason})',
} as const satisfies Readonly<Record<string, string | null>>

export type FieldFault = keyof typeof FIELD_FAULTS

type FaultValues = Readonly<Record<string, string | number>>

/** What is wrong with something that a client has sent. */
export interface Fault {
  readonly code: FieldFault
  /** The values that the code's sentences take in any language, such as `max`. */
  readonly values?: FaultValues
  /** The sentence in English. */
  readonly message: string
}

/** What is wrong with one field of a body or a query. */
export interface FieldError extends Fault {
  readonly field: string
}

/** A fault with its code's sentence, filled in with these values. */
export function faultOf(code: FieldFault, values: FaultValues = {}): Fault {
  const message = (FIELD_FAULTS[code] ?? code).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
  return { code, ...(Object.keys(values).length > 0 && { values }), message }
}

/** The same for a field. */
export function fieldError(field: string, code: FieldFault, values: FaultValues = {}): FieldError {
  const { message } = faultOf(code, { ...values, field })
  return { field, ...faultOf(code, values), message }
}
