/** Labels with their values. */
export type Labels = Readonly<Record<string, string>>

/** A sample in prom-client's format. */
export interface Sample {
  readonly metricName: string
  readonly labels: Labels
  readonly value: number
}

interface Series {
  readonly labels: Labels
  /** The count of each bucket alone, not cumulative; the last bucket has no bound. */
  readonly counts: number[]
  sumMs: number
}

/**
 * A histogram of how long something takes. prom-client's own creates an object and a string of the labels for
 * each observation, which every refresh would pay for; this one adds to two numbers.
 */
export class Durations {
  readonly type = 'histogram'
  private readonly series: readonly Series[]

  /** `boundsMs` in ascending order; `labels` for each series, which {@link observe} addresses by index. */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly boundsMs: readonly number[],
    labels: readonly Labels[] = [{}],
  ) {
    this.series = labels.map(each => ({
      labels: each,
      counts: new Array<number>(boundsMs.length + 1).fill(0),
      sumMs: 0,
    }))
  }

  observe(milliseconds: number, series = 0): void {
    const { boundsMs } = this
    let bucket = 0
    while (bucket < boundsMs.length && milliseconds > (boundsMs[bucket] as number)) bucket++
    const observed = this.series[series] as Series
    observed.counts[bucket] = (observed.counts[bucket] as number) + 1
    observed.sumMs += milliseconds
  }

  /** Returns `work`'s result, or throws its error; its duration is observed either way. */
  async measure<T>(work: () => Promise<T>, series = 0): Promise<T> {
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.observe(performance.now() - startedAt, series)
    }
  }

  /** All series, in seconds; buckets are cumulative. `name` is the full name. */
  samples(name: string): Sample[] {
    return this.series.flatMap(({ labels, counts, sumMs }) => {
      let total = 0
      const buckets = counts.map((count, index) => {
        total += count
        const bound = this.boundsMs[index]
        const le = bound === undefined ? '+Inf' : String(bound / 1000)
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
        { metricName: `${name}_count`, labels, value: total },
      ]
    })
  }
}
