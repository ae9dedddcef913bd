import { within } from '../clock/time-limit.js'

/** Just under a scrape interval of 15 s: several scrapers cost no more than one. */
const FRESH_MS = 14_000
/** A scrape waits no longer than this, because Prometheus gives up after 10 s. */
const WITHIN_MS = 2_000

/**
 * A value that is too expensive to read at every scrape: read at most about every 15 s, however many ask.
 * Null while it cannot be read.
 */
export class CachedReading<T> {
  /** How many readings failed. */
  failures = 0
  private readAt = Number.NEGATIVE_INFINITY
  private reading: Promise<T | null> = Promise.resolve(null)

  constructor(private readonly read: () => Promise<T>) {}

  get(): Promise<T | null> {
    if (performance.now() - this.readAt < FRESH_MS) return this.reading
    this.readAt = performance.now()
    this.reading = within(WITHIN_MS, this.read()).catch(() => {
      this.failures++
      return null
    })
    return this.reading
  }
}
