import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import { Clock, secondsAfter } from '../clock/clock.js'

const QUIET_SECONDS = 60 * 60
/** Far more than there are kinds: a few words of ours, each with one of the provider's prices. */
const MAX_KINDS = 1_000

interface Quiet {
  readonly until: Date
  heldBack: number
}

/** Log lines about what may happen thousands of times an hour; each process writes each kind once an hour. */
@Injectable()
export class HourlyLog {
  private readonly quiet = new LRUCache<string, Quiet>({ max: MAX_KINDS })

  constructor(private readonly clock: Clock) {}

  /**
   * Reports that something of this kind has happened `times` times. Calls `write` at most once an hour, with
   * the number since its previous call.
   */
  report(kind: string, times: number, write: (timesInAll: number) => void): void {
    const now = this.clock.now()
    const quiet = this.quiet.get(kind)
    if (quiet && now < quiet.until) {
      quiet.heldBack += times
      return
    }
    this.quiet.set(kind, { until: secondsAfter(now, QUIET_SECONDS), heldBack: 0 })
    write(times + (quiet?.heldBack ?? 0))
  }
}
