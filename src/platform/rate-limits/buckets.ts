import { createHash } from 'node:crypto'
import type { RateLimitSettings } from '../config/tables.js'
import { type LimitRule, rulesOf } from './limit-rules.js'
import type { LimitedAction } from './limited-action.js'
import type { Count, LimitedCounter } from './shared-counters.js'

/** The longest window (NIST SP 800-63B §3.2.2: "up to an hour"). */
const MAX_WINDOW_SECONDS = 60 * 60

/** One counter that an action is counted in. */
export interface Bucket extends LimitRule {
  /** Its name. Contains no e-mail address, because everybody with access to Redis can read it. */
  readonly key: string
  /** Whether a right guess resets it. Until then its window doubles each time it fills up. */
  readonly isOfAccount: boolean
}

/** A bucket with its current count. */
export interface FilledBucket extends Bucket, Count {}

/**
 * The buckets of an action, those of one account first. They do not depend on whether the user exists.
 * docs/reliability.md lists them.
 */
export function bucketsOf(action: LimitedAction, settings: RateLimitSettings): Bucket[] {
  const { kind } = action
  const isDoubling = kind === 'password' || kind === 'session'
  return rulesOf(action, settings).map(rule => ({
    ...rule,
    key: [kind, ...(rule.counts === 'right' ? ['right'] : []), rule.scope, digest(rule.ids)]
      .join(':')
      .replaceAll(' ', '-'),
    isOfAccount: isDoubling && rule.counts === 'wrong' && rule.scope.startsWith('account'),
  }))
}

/** The buckets with their counts, which are in the same order. */
export function withCounts(buckets: readonly Bucket[], counts: readonly Count[]): FilledBucket[] {
  return buckets.map((bucket, index) => ({ ...bucket, ...(counts[index] as Count) }))
}

/** The counter of a bucket. One that only raises an alarm is never full. */
export function limitOf({ key, max, refuses, windowSeconds, isOfAccount }: Bucket): LimitedCounter {
  return {
    key,
    max: refuses === 'nobody' ? null : max,
    windowsSeconds: isOfAccount ? backoffWindows(windowSeconds) : [windowSeconds],
    timesFullKey: isOfAccount ? timesFullKey(key) : null,
  }
}

/** The key of the counter for how often this counter was full. */
export function timesFullKey(key: string): string {
  return `${key}:offences`
}

/** Doubles each time the counter was full, up to an hour. */
function backoffWindows(windowSeconds: number): number[] {
  if (windowSeconds >= MAX_WINDOW_SECONDS) return [windowSeconds]
  return [windowSeconds, ...backoffWindows(Math.min(2 * windowSeconds, MAX_WINDOW_SECONDS))]
}

function digest(ids: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(ids)).digest('base64url').slice(0, 22)
}
