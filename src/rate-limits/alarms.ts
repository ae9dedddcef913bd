import { Logger } from '../log/logger.js'
import type { FilledBucket } from './buckets.js'
import type { LimitedAction, LimitedKind } from './limited-action.js'

/** Repeating an alarm says nothing new, and a flood must not fill the log. */
const LOG_EVERY_MS = 60_000
/** What an alarm calls each kind of action. */
const WORDS: Readonly<Partial<Record<LimitedKind, string>>> = {
  password: 'wrong passwords',
  passkey: 'wrong passkeys',
  link: 'wrong links',
  mail: 'requests for a mail',
}

/**
 * Logs when so much fails at one origin, or overall, that an operator should look. Nobody is refused because
 * of it: a counter that everybody shares would lock everybody out.
 */
export class Alarms {
  private readonly logger = new Logger('RateLimits')
  private readonly lastLogAt = new Map<string, number>()

  raise({ kind, client }: LimitedAction, full: readonly FilledBucket[]): void {
    for (const { scope, points, windowSeconds } of full) {
      const where = scope === 'origin' ? `from ${client.origin ?? 'clients without an Origin'}` : 'in all'
      this.warn(`${kind} ${scope}`, `${points} ${WORDS[kind] ?? kind} ${where} within ${windowSeconds} s`)
    }
  }

  private warn(about: string, sentence: string): void {
    const now = performance.now()
    if (now - (this.lastLogAt.get(about) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return
    this.lastLogAt.set(about, now)
    this.logger.warn(`${sentence}; nobody is refused because of it`)
  }
}
