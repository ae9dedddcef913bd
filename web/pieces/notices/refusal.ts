import { type ErrorCode, MainstayError } from '@mainstay-auth/client'

/** Whether this is a refusal by the service with this code. */
export function isRefusal(error: unknown, code: ErrorCode): error is MainstayError {
  return error instanceof MainstayError && error.code === code
}
