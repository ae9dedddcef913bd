import { Logger } from '../log.js'
import { Throttle } from '../time.js'
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
  private readonly throttles = new Map<string, Throttle>()

  raise({ kind, client }: LimitedAction, full: readonly FilledBucket[]): void {
    for (const { scope, points, windowSeconds } of full) {
      const where = scope === 'origin' ? `from ${client.origin ?? 'clients without an Origin'}` : 'in all'
      this.warn(`${kind} ${scope}`, `${points} ${WORDS[kind] ?? kind} ${where} within ${windowSeconds} s`)
    }
  }

  private warn(about: string, sentence: string): void {
    const throttle = this.throttles.get(about) ?? new Throttle(LOG_EVERY_MS)
    this.throttles.set(about, throttle)
    if (throttle.take()) this.logger.warn(`${sentence}; nobody is refused because of it`)
  }
}
