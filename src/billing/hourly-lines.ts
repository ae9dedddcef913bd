import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import { Clock, secondsAfter } from '../clock/clock.js'

const QUIET_SECONDS = 60 * 60
/** Far more kinds than there are: a few words of ours, each with a price of the provider. */
const MAX_KINDS = 1_000

interface Quiet {
  readonly until: Date
  heldBack: number
}

/** Lines of the log about what may happen thousands of times an hour: each kind is written once an hour by each process. */
@Injectable()
export class HourlyLines {
  private readonly quiet = new LRUCache<string, Quiet>({ max: MAX_KINDS })

  constructor(private readonly clock: Clock) {}

  /**
   * Something of this kind has happened `times` times: calls `write` at most once an hour, with how often it has happened
   * since it was called before.
   */
  note(kind: string, times: number, write: (timesInAll: number) => void): void {
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
