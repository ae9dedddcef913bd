import { ERROR_CODES, type ErrorCode } from './error-codes.js'
import type { FieldError } from './field-faults.js'

export interface ApiErrorOptions extends ErrorOptions {
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
