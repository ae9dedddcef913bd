import { ApiError } from '../http/api-error.js'

/**
 * What goes wrong with every API call while it is set. Only `slow`, `late-answer` and `answer-then-reset` do what was asked.
 * - `refuse`: the connection is reset at once
 * - `hang`: no answer, ever; the idempotency key stays taken until the client hangs up
 * - `error-500`, `rate-limit`: Stripe's 500 and 429
 * - `slow`: begins only after a while, even if the client has hung up by then
 * - `late-answer`: done at once, but the answer, true of that moment, takes a while
 * - `answer-then-reset`: done and remembered, but the connection is reset instead of the answer
 */
export const FAULTS = [
  'refuse',
  'hang',
  'slow',
  'late-answer',
  'error-500',
  'rate-limit',
  'answer-then-reset',
] as const
export type Fault = (typeof FAULTS)[number]

/** The error that the fault answers with; null for the faults that do not answer. */
export function faultError(fault: Fault | null): ApiError | null {
  if (fault === 'error-500') return new ApiError(500, 'api_error', 'An unknown error occurred')
  if (fault !== 'rate-limit') return null
  return new ApiError(429, 'invalid_request_error', 'Request rate limit exceeded.', 'rate_limit')
}
