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
  REAUTHENTICATION_REQUIRED: { status: 401, title: 'This requires the password again' },
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
  OWN_RIGHTS: {
    status: 403,
    title: 'Users cannot change their own permissions, or give permissions that they do not have',
  },
  OWNER_REQUIRED: { status: 403, title: 'Only the owner of the account may do this' },
  OWNER_LOGIN_BARRED: {
    status: 403,
    title: 'Owners log in on the main site only; never type your password here',
  },
  SIGN_UP_CLOSED: { status: 403, title: 'Sign-up is closed' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  PAYMENT_PENDING: { status: 409, title: 'A payment of this account is still on its way' },
  ALREADY_SUBSCRIBED: { status: 409, title: 'This account already has a subscription' },
  NEVER_SUBSCRIBED: { status: 409, title: 'This account has no customer at the payment provider' },
  ACCOUNT_CLOSING: {
    status: 409,
    title: 'The account is going to be deleted; its owner can cancel the deletion',
  },
  LAST_OWNER: { status: 409, title: 'The owner cannot be changed or removed; transfer the account first' },
  SUBSCRIPTION_LIVE: { status: 409, title: 'The account has a subscription; end it first' },
  TOO_MANY_INVITATIONS: { status: 409, title: 'There are too many open invitations; withdraw some first' },
  EMAIL_UNDO_OPEN: {
    status: 409,
    title: 'The e-mail address was changed recently; wait until that can no longer be undone',
  },
  TRANSFER_PENDING: { status: 409, title: 'A transfer of the account is under way; cancel it first' },
  EMAIL_TAKEN: { status: 409, title: 'This e-mail address is already in use' },
  BODY_TOO_LARGE: { status: 413, title: 'The request body is too large' },
  URL_TOO_LONG: { status: 414, title: 'The URL is too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Only application/json in UTF-8 is accepted' },
  TOO_MANY_ATTEMPTS: { status: 429, title: 'Too many attempts; wait and try again' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The request headers are too large' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
  PAYMENT_PROVIDER_FAILED: {
    status: 502,
    title: 'The payment provider refused the request or failed; try again',
  },
  MAIL_UNAVAILABLE: { status: 503, title: 'Mail cannot be sent now; try again' },
  PAYMENT_PROVIDER_UNAVAILABLE: {
    status: 503,
    title: 'The payment provider does not answer; try again shortly',
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
