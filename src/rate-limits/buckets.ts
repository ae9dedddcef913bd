import { createHash } from 'node:crypto'
import type { RateLimitSettings } from '../config/tables/rate-limit-settings.js'
import { type LimitRule, rulesOf } from './limit-rules.js'
import type { LimitedAction } from './limited-action.js'

/** One counter that an action is counted in. */
export interface Bucket extends LimitRule {
  /** Its name. Contains no e-mail address, because everybody with access to Redis can read it. */
  readonly key: string
  /** Whether a right guess resets it. Until then its window doubles each time it fills up. */
  readonly isOfAccount: boolean
}

/**
 * The buckets of an action, those of one account first. They do not depend on whether the user exists.
 * docs/reliability.md lists them.
 */
export function bucketsOf(action: LimitedAction, settings: RateLimitSettings): Bucket[] {
  const { kind } = action
  const isDoubling = kind === 'password' || kind === 'session'
  return rulesOf(action, settings).map(rule => ({
    ...rule,
    key: [kind, ...(rule.counts === 'right' ? ['right'] : []), rule.limit, digest(rule.of)]
      .join(':')
      .replaceAll(' ', '-'),
    isOfAccount: isDoubling && rule.counts === 'wrong' && rule.limit.startsWith('account'),
  }))
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}
