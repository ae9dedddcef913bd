import type { ApiError, FieldError } from './api-error.js'
import { ERROR_CODES, type ErrorCode } from './error-codes.js'

/** The body of every refusal: RFC 9457 problem details with our stable `code` and the id to quote to support. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly requestId: string
  readonly errors?: readonly FieldError[]
}

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8'

export function problemOf(error: ApiError, requestId: string): Problem {
  const { code, status, message, options } = error
  const problem = {
    type: problemType(code),
    title: ERROR_CODES[code].title,
    status,
    detail: message,
    code,
    requestId,
  }
  return options.errors ? { ...problem, errors: options.errors } : problem
}

/** A URN: it identifies the problem, and nothing has to be served at it. */
export function problemType(code: ErrorCode): string {
  return `urn:mainstay:problem:${code.toLowerCase().replaceAll('_', '-')}`
}
