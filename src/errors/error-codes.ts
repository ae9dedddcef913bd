/**
 * Every refusal this API can answer. The code is part of the API; `title` is its fixed sentence, which helps an
 * honest user and tells an attacker nothing.
 */
export const ERROR_CODES = {
  INVALID_BODY: { status: 400, title: 'The request body is not as documented' },
  INVALID_REQUEST: { status: 400, title: 'The request cannot be read' },
  INVALID_RETURN_URL: { status: 400, title: 'The return address is not an https URL on a listed origin' },
  UNKNOWN_PRICE: { status: 400, title: 'This price is not for sale here' },
  INVALID_SIGNATURE: { status: 400, title: 'The signature of this event is not valid' },
  INVALID_CREDENTIALS: { status: 401, title: 'E-mail or password is wrong' },
  ACCESS_TOKEN_REQUIRED: { status: 401, title: 'An access token is required' },
  INVALID_ACCESS_TOKEN: { status: 401, title: 'The access token is not valid' },
  SESSION_NOT_FOUND: { status: 401, title: 'No live session; log in again' },
  ORIGIN_NOT_ALLOWED: { status: 403, title: 'Not allowed by CORS' },
  MAIN_ORIGIN_REQUIRED: { status: 403, title: 'Only the main site may do this' },
  CROSS_SITE_REFUSED: { status: 403, title: 'Not from another site' },
  SESSION_COOKIE_REQUIRED: { status: 403, title: 'The session cookie of the main site is required' },
  MAIN_SOURCE_REQUIRED: { status: 403, title: 'Only a session of the main site may do this' },
  SESSION_MISMATCH: { status: 403, title: 'Access token and session cookie are not of the same session' },
  PAYMENTS_PERMISSION_REQUIRED: { status: 403, title: 'This session may not make payments' },
  NOT_FOUND: { status: 404, title: 'There is nothing at this address' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  ALREADY_SUBSCRIBED: { status: 409, title: 'This account has a subscription already' },
  EMAIL_TAKEN: { status: 409, title: 'There is a user with this e-mail already' },
  BODY_TOO_LARGE: { status: 413, title: 'The request body is too large' },
  URL_TOO_LONG: { status: 414, title: 'The URL is too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Only application/json in UTF-8 is understood' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The request headers are too large' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
  PAYMENT_PROVIDER_FAILED: { status: 502, title: 'The payment provider did not do as asked; try again' },
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
  NOT_READY: { status: 503, title: 'The service is stopping' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof ERROR_CODES
