import { createHash } from 'node:crypto'
import type { AttemptSettings } from '../config/tables/rate-limit-settings.js'
import type { Attempt } from './attempt.js'
import { type LimitRule, limitRulesOf } from './limit-rules.js'

/** One counter that an attempt goes into. */
export interface Bucket extends LimitRule {
  /**
   * The name of the counter. Contains no e-mail address, because everybody with access to Redis can read it.
   */
  readonly key: string
  /** Whether a right guess resets it. Until then its window doubles each time it is full. */
  readonly isOfAccount: boolean
}

/**
 * The buckets of an attempt. They do not depend on whether the user exists. docs/reliability.md lists them.
 */
export function bucketsOf(attempt: Attempt, settings: AttemptSettings): Bucket[] {
  const { kind } = attempt
  const mayGrow = kind === 'password' || kind === 'session'
  return limitRulesOf(attempt, settings).map(rule => ({
    ...rule,
    key: [kind, ...(rule.counts === 'right' ? ['right'] : []), rule.limit, digest(rule.of)]
      .join(':')
      .replaceAll(' ', '-'),
    isOfAccount: mayGrow && rule.counts === 'wrong' && rule.limit.startsWith('account'),
  }))
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}
