import { ApiError } from '../http/api-error.js'

/**
 * How every API call goes wrong while the fault is set. Only `slow`, `late-answer` and `answer-then-reset`
 * carry out the call.
 * - `refuse`: the connection is reset at once
 * - `hang`: there is never an answer; the idempotency key stays in use until the client hangs up
 * - `error-500`, `rate-limit`: Stripe's 500 and 429
 * - `slow`: the call starts after a delay, even if the client has hung up by then
 * - `late-answer`: the call is carried out at once, but its answer is delayed
 * - `answer-then-reset`: the call is carried out and its answer saved, but the connection is reset instead of
 *   answering
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

/** The error that the fault answers with, or null when the fault is not an error answer. */
export function faultError(fault: Fault | null): ApiError | null {
  if (fault === 'error-500') return new ApiError(500, 'api_error', 'An unknown error occurred')
  if (fault !== 'rate-limit') return null
  return new ApiError(429, 'invalid_request_error', 'Request rate limit exceeded.', 'rate_limit')
}
