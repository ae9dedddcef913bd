import type { FieldError } from './field-faults.js'

/**
 * Every refusal that this API can answer. The code is part of the API. The title never changes with the
 * request, so it tells an attacker nothing.
 */
export const ERROR_CODES = {
  INVALID_BODY: { status: 400, title: 'The request body is not valid' },
  INVALID_QUERY: { status: 400, title: 'The query string is not valid' },
  INVALID_REQUEST: { status: 400, title: 'The request cannot be read' },
  INVALID_RETURN_URL: { status: 400, title: 'The return address is not an https URL on a listed origin' },
  UNKNOWN_PRICE: { status: 400, title: 'This price is not on sale' },
  INVALID_SIGNATURE: { status: 400, title: 'The signature of this event is not valid' },
  WEAK_PASSWORD: { status: 400, title: 'This password is too easy to guess' },
  INVALID_LINK: { status: 400, title: 'This link has been used, has expired or is not valid' },
  UNKNOWN_SATELLITE: { status: 400, title: 'This is not the origin of a listed satellite' },
  WRONG_MODE: { status: 400, title: 'This event belongs to another mode of the payment provider' },
  INVALID_CREDENTIALS: { status: 401, title: 'The e-mail address or the password is wrong' },
  ACCESS_TOKEN_REQUIRED: { status: 401, title: 'An access token is required' },
  INVALID_ACCESS_TOKEN: { status: 401, title: 'The access token is not valid' },
  SESSION_NOT_FOUND: { status: 401, title: 'There is no live session; log in again' },
  HANDOFF_CODE_INVALID: { status: 401, title: 'This login has expired, has been used or is not valid' },
  SECOND_FACTOR_REQUIRED: { status: 401, title: 'The password is correct; a second factor is required too' },
  SECOND_FACTOR_INVALID: { status: 401, title: 'This code is wrong, has been used or has expired' },
  CHALLENGE_EXPIRED: { status: 401, title: 'This login took too long or too many tries; begin again' },
  PASSKEY_INVALID: { status: 401, title: 'This passkey could not be used' },
  REAUTHENTICATION_REQUIRED: { status: 401, title: 'Confirm your identity again' },
  STEP_UP_REQUIRED: { status: 401, title: 'Log in again, or confirm with a second factor, to do this' },
  ORIGIN_NOT_ALLOWED: { status: 403, title: 'Not allowed by CORS' },
  MAIN_ORIGIN_REQUIRED: { status: 403, title: 'Only the main site may do this' },
  CROSS_SITE_REFUSED: { status: 403, title: 'Requests from other sites are refused here' },
  SESSION_COOKIE_REQUIRED: { status: 403, title: 'The session cookie of the main site is required' },
  MAIN_SOURCE_REQUIRED: { status: 403, title: 'Only a session of the main site may do this' },
  SESSION_MISMATCH: {
    status: 403,
    title: 'The access token and the session cookie belong to different sessions',
  },
  PAYMENTS_PERMISSION_REQUIRED: {
    status: 403,
    title: 'This session does not have the permission for payments',
  },
  PERMISSION_REQUIRED: { status: 403, title: 'This session does not have the permission for that' },
  SECOND_FACTOR_ENROLMENT_REQUIRED: {
    status: 403,
    title: 'The account requires a second factor; set one up on the main site first',
  },
  OWN_RIGHTS: {
    status: 403,
    title: 'Users cannot change their own permissions, or give permissions that they do not have',
  },
  DISABLED_BY_OPERATOR: { status: 403, title: 'An operator has disabled this user' },
  OWNER_REQUIRED: { status: 403, title: 'Only the owner of the account may do this' },
  OWNER_LOGIN_BARRED: {
    status: 403,
    title: 'Owners log in on the main site only; never type your password here',
  },
  HANDOFF_REQUIRED: {
    status: 403,
    title: 'Log in through the main site; never type your password here',
  },
  HANDOFF_DISABLED: { status: 403, title: 'This satellite accepts passwords only; it does not use hand-off' },
  NOT_INVITED: { status: 403, title: 'This user is not invited to this satellite' },
  SATELLITE_SUSPENDED: { status: 403, title: 'This satellite is suspended' },
  SIGN_UP_CLOSED: { status: 403, title: 'Sign-up is closed' },
  PAYMENTS_OFF: { status: 403, title: 'This service takes no payments' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  SATELLITE_NOT_FOUND: { status: 404, title: 'No satellite has this origin' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  PAYMENT_PENDING: { status: 409, title: 'A payment for this account is still being processed' },
  ALREADY_SUBSCRIBED: { status: 409, title: 'This account already has a subscription' },
  CURRENCY_FIXED: { status: 409, title: 'This account pays in another currency' },
  PLAN_UNAVAILABLE: { status: 409, title: 'This plan cannot be bought at the moment' },
  NEVER_SUBSCRIBED: { status: 409, title: 'This account has never had a subscription' },
  ACCOUNT_CLOSING: {
    status: 409,
    title: 'The account is going to be deleted; its owner can cancel the deletion',
  },
  LAST_OWNER: { status: 409, title: 'The owner cannot be changed or removed; transfer the account first' },
  SUBSCRIPTION_LIVE: { status: 409, title: 'The account has a subscription; cancel it first' },
  PLAN_LIMIT_REACHED: { status: 409, title: 'The plan of the account allows no more' },
  TOO_MANY_INVITATIONS: { status: 409, title: 'There are too many open invitations; withdraw some first' },
  EMAIL_UNDO_OPEN: {
    status: 409,
    title: 'The e-mail address was changed recently; wait until that can no longer be undone',
  },
  TRANSFER_PENDING: { status: 409, title: 'An ownership transfer is pending; cancel it first' },
  ORIGIN_TAKEN: { status: 409, title: 'This origin is in use already' },
  TOO_MANY_SATELLITES: {
    status: 409,
    title: 'Too many satellites, or too many awaiting verification; prove or remove some first',
  },
  SATELLITE_PENDING: { status: 409, title: 'This satellite has not been verified yet' },
  PROOF_NOT_FOUND: { status: 409, title: 'The proof that this origin is yours was not found' },
  PROOF_EXPIRED: { status: 409, title: 'The token of this proof has expired; there is a new one' },
  TOTP_EXISTS: { status: 409, title: 'An authenticator app is set up already; remove it first' },
  TOTP_NOT_STARTED: { status: 409, title: 'Request a secret for the authenticator app first' },
  SECOND_FACTOR_MISSING: {
    status: 409,
    title: 'This requires a second factor of your own; set one up first',
  },
  SECOND_FACTOR_NEEDED: { status: 409, title: 'The account requires a second factor; this is the last one' },
  TOO_MANY_PASSKEYS: { status: 409, title: 'There are too many passkeys; remove one first' },
  PASSKEY_EXISTS: { status: 409, title: 'This passkey has been added already' },
  LAST_WAY_IN: { status: 409, title: 'Without this there would be no way to log in' },
  EMAIL_TAKEN: { status: 409, title: 'This e-mail address is already in use' },
  MAIL_BEING_SENT: { status: 409, title: 'This mail is being resent' },
  BODY_TOO_LARGE: { status: 413, title: 'The request body is too large' },
  URL_TOO_LONG: { status: 414, title: 'The URL is too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Only application/json in UTF-8 is accepted' },
  TOO_MANY_ATTEMPTS: { status: 429, title: 'Too many attempts; wait and try again' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The request headers are too large' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
  PAYMENT_PROVIDER_FAILED: {
    status: 502,
    title: 'The payment provider failed; try again',
  },
  MAIL_UNAVAILABLE: { status: 503, title: 'Mail cannot be sent now; try again' },
  PAYMENT_PROVIDER_UNAVAILABLE: {
    status: 503,
    title: 'The payment provider does not answer; try again shortly',
  },
  PAYMENT_PROVIDER_REFUSED: {
    status: 503,
    title: 'The payment provider refuses this; trying again does not help',
  },
  TOO_BUSY: { status: 503, title: 'Too many requests at once; try again shortly' },
  SESSION_STORE_UNAVAILABLE: {
    status: 503,
    title: 'Sessions cannot be checked right now; try again shortly',
  },
  DATABASE_UNAVAILABLE: { status: 503, title: 'This is not possible right now; try again shortly' },
  NOT_READY: { status: 503, title: 'The service is starting or stopping' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERROR_CODES

interface ApiErrorOptions extends ErrorOptions {
  /** Replaces the code's sentence as `detail`; must not contain anything that the client must not know. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the answer (RFC 9457 §3.2), where the code's description in the API reference lists them. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** An expected refusal; the filter answers it as problem+json with the status of its code. */
export class ApiError extends Error {
  readonly status: number

  constructor(
    readonly code: ErrorCode,
    readonly options: ApiErrorOptions = {},
  ) {
    super(options.detail ?? ERROR_CODES[code].title, options)
    this.name = 'ApiError'
    this.status = ERROR_CODES[code].status
  }
}

/** Whether it is a refusal (4xx), as opposed to a fault or an outage (5xx). */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

/** Jitter, so that clients refused together do not return together. */
const RETRY_AFTER_SECONDS = { min: 2, max: 5 }

/** A temporary refusal: 503 with `Retry-After` in seconds (RFC 9110 §10.2.3). */
export function unavailable(code: ErrorCode, cause?: unknown): ApiError {
  const { min, max } = RETRY_AFTER_SECONDS
  const seconds = min + Math.floor(Math.random() * (max - min + 1))
  return new ApiError(code, { cause, headers: { 'Retry-After': String(seconds) } })
}

/** Deeper than any chain of ours, and an end for one that leads back to itself. */
const MAX_CAUSES = 5

/**
 * Why something failed, in one line for the log and for operators: the messages of an error and its causes,
 * outermost first. Of an `ApiError` with a cause only the cause counts, because its own message is for clients.
 */
export function causeMessage(error: unknown): string {
  const messages: string[] = []
  for (let at = error, depth = 0; at != null && depth < MAX_CAUSES; at = (at as Error).cause, depth++) {
    if (at instanceof ApiError && at.cause instanceof Error) continue
    const message = messageOf(at)
    if (!messages.some(outer => outer.includes(message))) messages.push(message)
  }
  return messages.join(': ').replace(/\s*\n\s*/g, '; ')
}

/** Several addresses that all refuse give an error without a message of its own. */
function messageOf(error: unknown): string {
  const { message, errors, code } = error as Partial<AggregateError & NodeJS.ErrnoException>
  return message || errors?.map(causeMessage).join('; ') || code || String(error)
}

/** The service cannot start, for a reason outside its code. The message says what an operator has to fix. */
export class StartError extends Error {}
