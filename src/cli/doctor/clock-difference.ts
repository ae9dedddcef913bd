import { EXPIRY_TOLERANCE_SECONDS } from '@mainstay-auth/verify/token-rules'
import { type Finding, fault, ok, warning } from './finding.js'

/** Two clocks that are kept by NTP differ by far less. */
const WARN_FROM_SECONDS = 1

/** A clock that was read somewhere else, between two readings of ours. */
export interface ClockReading {
  readonly before: Date
  readonly there: Date
  readonly after: Date
  /** How coarse the other clock is: an HTTP date has whole seconds. */
  readonly resolutionSeconds?: number
}

/**
 * How far the clock of `whose` is from ours: a fault from five seconds on, when a token can be accepted on one
 * machine and refused on another. The answer's transit time counts in the clock's favour.
 */
export function compareClocks(
  check: string,
  whose: string,
  { before, there, after, resolutionSeconds = 0 }: ClockReading,
): Finding {
  const aheadMs = Math.max(0, there.getTime() - after.getTime())
  const behindMs = Math.max(0, before.getTime() - there.getTime() - resolutionSeconds * 1000)
  const seconds = Math.max(aheadMs, behindMs) / 1000
  if (seconds < WARN_FROM_SECONDS) return ok(check, `${whose} has the time of this machine`)
  const saw = `${whose} is ${seconds.toFixed(1)} s ${aheadMs > behindMs ? 'ahead of' : 'behind'} this machine`
  const todo = 'Synchronise the clocks of all machines with NTP'
  return seconds < EXPIRY_TOLERANCE_SECONDS ? warning(check, saw, todo) : fault(check, saw, todo)
}
