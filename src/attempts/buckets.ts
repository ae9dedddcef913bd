import { createHash } from 'node:crypto'
import type { AttemptSettings } from '../config/attempt-settings.js'
import type { Attempt } from './attempt.js'
import { type LimitRule, limitRulesOf } from './limit-rules.js'

/** One counter that an attempt goes into. */
export interface Bucket extends LimitRule {
  /** Of the counter. Holds no e-mail: the counters are kept where everybody with access to Redis can read them. */
  readonly key: string
  /** A right guess empties it, and until then its window doubles each time that it was full. */
  readonly isOfAccount: boolean
}

/** The buckets of an attempt; which these are tells nothing about whether there is such a user. docs/reliability.md has them as a table. */
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
