import { ApiError } from './api-error.js'

/**
 * What goes wrong with every API call while it is set. Only `answer-then-reset` does what was asked.
 * - `refuse`: the connection is reset at once
 * - `hang`: no answer, ever; the idempotency key stays taken until the client hangs up
 * - `error-500`, `rate-limit`: Stripe's 500 and 429
 * - `answer-then-reset`: done and remembered, but the connection is reset instead of the answer
 */
export type Fault = 'refuse' | 'hang' | 'error-500' | 'rate-limit' | 'answer-then-reset'

/** The error that the fault answers with; null for the faults that do not answer. */
export function faultError(fault: Fault | null): ApiError | null {
  if (fault === 'error-500') return new ApiError(500, 'api_error', 'An unknown error occurred')
  if (fault !== 'rate-limit') return null
  return new ApiError(429, 'invalid_request_error', 'Request rate limit exceeded.', 'rate_limit')
}
