import { CachedReading } from './cached-reading.js'
import type { Durations } from './durations.js'

/** The current number, or one per label value; null, or an absent label value, when it is not known. */
export type Reading = number | null | Readonly<Record<string, number>>

/** A series, or one per value of its `label`. `read` is called at each scrape and at no other time. */
export interface Measure {
  readonly name: string
  /** A sentence without the full stop. */
  readonly help: string
  /** Must have few values, all known in advance: never an origin, an account, a user or an address. */
  readonly label?: string
  readonly read: () => Reading | Promise<Reading>
}

/**
 * The metrics of one service. Each part counts in plain numbers of its own and declares here how to read
 * them, so counting costs next to nothing, whether or not anybody scrapes. The prefix `mainstay_` is added to
 * the names.
 */
export class Metrics {
  readonly counters: Measure[] = []
  readonly gauges: Measure[] = []
  readonly histograms: Durations[] = []
  private readonly parts = new Map<string, CachedReading<unknown>>()

  constructor() {
    this.counter({
      name: 'collect_errors_total',
      help: 'Readings that failed or took too long; what they are about is missing meanwhile',
      label: 'part',
      read: () => Object.fromEntries([...this.parts].map(([part, { failures }]) => [part, failures])),
    })
  }

  /** A number that only grows while the process runs; its name ends in `_total`. */
  counter(measure: Measure): void {
    this.counters.push(measure)
  }

  /** A number that goes up and down. */
  gauge(measure: Measure): void {
    this.gauges.push(measure)
  }

  /** How long something took; its name ends in `_seconds`. */
  histogram(durations: Durations): void {
    this.histograms.push(durations)
  }

  /** A value that several gauges share and that takes a query to read: see {@link CachedReading}. */
  cached<T>(part: string, read: () => Promise<T>): () => Promise<T | null> {
    const reading = new CachedReading(read)
    this.parts.set(part, reading)
    return () => reading.get()
  }
}

/** A zero count for each of these label values. */
export function countsOf<const T extends string>(values: readonly T[]): Record<T, number> {
  return Object.fromEntries(values.map(value => [value, 0])) as Record<T, number>
}
