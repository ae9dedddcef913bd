import { type ErrorCode, MainstayError } from '@mainstay-auth/client'

/** Sentences by the code of a refusal. */
export type Messages = Partial<Record<ErrorCode | 'UNKNOWN', string>>

/** What people read, by the code of the refusal. What is missing here says the service's own sentence. */
const MESSAGES: Messages = {
  INVALID_BODY: 'Please check the fields that are marked.',
  INVALID_RETURN_URL: 'The address you came from is not one of our sites, so we cannot send you back there.',
  UNKNOWN_PRICE: 'This plan is no longer offered. Please choose another one.',
  WEAK_PASSWORD: 'This password is too easy to guess. Try a longer one, for example four unrelated words.',
  INVALID_LINK: 'This link has already been used, has expired or is incomplete. Please ask for a new one.',
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  SECOND_FACTOR_INVALID: 'This code is wrong or was used before. Please enter the newest one.',
  CHALLENGE_EXPIRED: 'This login has expired. Please log in again.',
  PASSKEY_INVALID: 'This passkey does not work here. Please use another one, or another way.',

  STEP_UP_REQUIRED: 'This requires a second factor. Please set one up on the page “Security” first.',
  SECOND_FACTOR_ENROLMENT_REQUIRED:
    'Your account requires a second factor. Please set one up on the main site first.',
  TOTP_EXISTS: 'You have an authenticator app already. Remove it before you set up another one.',
  TOTP_NOT_STARTED: 'The setup has expired. Please begin again.',
  SECOND_FACTOR_MISSING: 'Set up a second factor of your own first, on the page “Security”.',
  SECOND_FACTOR_NEEDED:
    'Your account requires a second factor, and this is your only one. Please set up another one first.',
  TOO_MANY_PASSKEYS: 'You have too many passkeys. Please remove one first.',
  PASSKEY_EXISTS: 'You have added this passkey already.',
  LAST_WAY_IN: 'Without this you could not log in any more. Please set up another way first.',
  SESSION_NOT_FOUND: 'You were logged out before this could be done. Please log in and try again.',
  ACCESS_TOKEN_REQUIRED: 'You are no longer logged in. Please log in again.',
  INVALID_ACCESS_TOKEN: 'You are no longer logged in. Please log in again.',
  SESSION_MISMATCH: 'Somebody else has logged in with this browser. Please reload the page.',
  SESSION_COOKIE_REQUIRED: 'Your browser did not send our cookie. Please allow cookies and log in again.',
  ORIGIN_NOT_ALLOWED: 'This site is not connected to our service.',
  PAYMENTS_PERMISSION_REQUIRED:
    'You do not have permission to make payments for this account. Please ask its owner.',
  PERMISSION_REQUIRED: 'You do not have permission to do this. Please ask the owner of the account.',
  OWN_RIGHTS: 'You cannot change your own permissions, or give permissions that you do not have.',
  OWNER_REQUIRED: 'Only the owner of the account may do this.',
  OWNER_LOGIN_BARRED: 'Owners log in on the main site only. Never type your password here.',
  HANDOFF_REQUIRED: 'Please log in through the main site. Never type your password here.',
  HANDOFF_CODE_INVALID: 'This login has expired or was used before. Please log in again.',
  HANDOFF_DISABLED: 'On this site you log in with your password.',
  NOT_INVITED: 'You are not invited to this site. Please ask the owner of your account.',
  SATELLITE_SUSPENDED: 'This site is suspended at the moment.',
  SATELLITE_NOT_FOUND: 'This site is not connected to our service.',
  SIGN_UP_CLOSED: 'Sign-up is closed at the moment.',
  NOT_FOUND: 'This no longer exists.',
  PAYMENT_PENDING: 'Your payment is on its way. It can take a few days to arrive.',
  ALREADY_SUBSCRIBED: 'This account already has a subscription.',
  LAST_OWNER: 'The account needs an owner. Transfer it first.',
  EMAIL_UNDO_OPEN:
    'The e-mail address was changed recently. You can do this once the change can no longer be undone, 7 days after it.',
  TRANSFER_PENDING: 'A transfer of the account is under way. Please cancel it first.',
  SUBSCRIPTION_LIVE: 'The account still has a subscription. Please end it first.',
  TOO_MANY_INVITATIONS: 'There are too many open invitations. Please withdraw some first.',
  ORIGIN_TAKEN: 'This origin is already a satellite, of this account or of another one.',
  TOO_MANY_SATELLITES:
    'There are too many satellites, or too many waiting for their proof. Please prove or remove some first.',
  PROOF_NOT_FOUND: 'The proof was not found.',
  PROOF_EXPIRED: 'The proof had expired. There is a new one now: please publish it in place of the old one.',
  EMAIL_TAKEN: 'This e-mail address is already in use.',
  TOO_MANY_ATTEMPTS: 'Too many attempts.',
  INTERNAL_ERROR: 'Something went wrong on our side.',
  PAYMENT_PROVIDER_FAILED: 'The payment provider could not do this. Please try again.',
  PAYMENT_PROVIDER_UNAVAILABLE: 'The payment provider is not responding. Please try again in a minute.',
  MAIL_UNAVAILABLE: 'We cannot send mail right now. Please try again in a few minutes.',
  TOO_BUSY: 'We are very busy right now. Please try again in a moment.',
  SESSION_STORE_UNAVAILABLE: 'This is temporarily unavailable. Please try again in a minute.',
  DATABASE_UNAVAILABLE: 'This is temporarily unavailable. Please try again in a minute.',
  NOT_READY: 'This is temporarily unavailable. Please try again in a minute.',
  UNKNOWN: 'This is temporarily unavailable. Please try again in a minute.',
}

/** What browsers say about passkeys, by the name of their error. */
const PASSKEY_MESSAGES: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used. Please try again, or use another way.',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'Passkeys do not work at this address.',
  NotSupportedError: 'This device cannot make such a passkey.',
  ConstraintError: 'This device cannot make such a passkey. It may need a screen lock first.',
}

/** A sentence for people about whatever was thrown; `own` are those of the place where it happened. */
export function messageOf(error: unknown, own: Messages = {}): string {
  if (!(error instanceof MainstayError)) return wordsForNoAnswer(error)
  const message = own[error.code] ?? MESSAGES[error.code] ?? `${withoutPeriod(error.message)}.`
  return error.code === 'TOO_MANY_ATTEMPTS'
    ? `${message} Please try again ${after(error.retryAfterSeconds)}.`
    : message
}

export function withoutPeriod(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

/** Nothing came back. Whose fault that is a browser does not say, unless it is offline. */
function wordsForNoAnswer(error: unknown): string {
  if (!navigator.onLine) return 'You are offline. Please try again when you are connected.'
  const passkeyMessage = PASSKEY_MESSAGES[(error as Error).name]
  if (passkeyMessage) return passkeyMessage
  if ((error as Error).name === 'TimeoutError')
    return 'We got no answer in time. Check whether it was done before you try again.'
  return 'We cannot be reached. Please try again in a moment.'
}

function after(seconds: number | null): string {
  if (seconds === null) return 'in a few minutes'
  if (seconds <= 60) return 'in a minute'
  return `in ${Math.ceil(seconds / 60)} minutes`
}
