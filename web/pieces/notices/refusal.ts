import { type ErrorCode, MainstayError } from '@mainstay-auth/client'

/** Whether the service has refused for this reason. */
export function isRefusal(error: unknown, code: ErrorCode): error is MainstayError {
  return error instanceof MainstayError && error.code === code
}
