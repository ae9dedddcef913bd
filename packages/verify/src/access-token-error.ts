import { type RequiredAuthentication, stepUpChallenge } from './caller.js'

/** The service's own codes for the same refusals, plus one for keys that could not be fetched. */
const REFUSALS = {
  ACCESS_TOKEN_REQUIRED: {
    status: 401,
    title: 'An access token is required',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  INVALID_ACCESS_TOKEN: {
    status: 401,
    title: 'The access token is not valid',
    // RFC 6750 §3.1.
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  },
  PERMISSION_REQUIRED: {
    status: 403,
    title: 'This session does not have the permission for that',
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  },
  STEP_UP_REQUIRED: {
    status: 401,
    title: 'Log in again, or confirm with a second factor, to do this',
    headers: {},
  },
  KEYS_UNAVAILABLE: {
    status: 503,
    title: 'Access tokens cannot be checked right now; try again shortly',
    headers: { 'Retry-After': '5' },
  },
} as const

/** Why a request is refused. Does not reveal what was wrong with the token; `cause` does, for your log. */
export class AccessTokenError extends Error {
  override readonly name = 'AccessTokenError'
  readonly statusCode: 401 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  /** The response body, as the service itself would send it (RFC 9457). */
  readonly problem: { type: string; title: string; status: number; detail: string; code: string }

  constructor(
    readonly code: keyof typeof REFUSALS,
    options?: ErrorOptions & { readonly required?: RequiredAuthentication },
  ) {
    const { status, title, headers } = REFUSALS[code]
    super(title, options)
    this.statusCode = status
    this.headers = options?.required ? { 'WWW-Authenticate': stepUpChallenge(options.required) } : headers
    const type = `urn:mainstay:problem:${code.toLowerCase().replaceAll('_', '-')}`
    this.problem = { type, title, status, detail: title, code }
  }
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8'
