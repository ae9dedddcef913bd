/** The state of a counter. */
export interface Count {
  readonly points: number
  /** Until it resets. */
  readonly msLeft: number
}

/** What to count, and for how long from the first time. */
export interface Counted {
  readonly key: string
  readonly windowSeconds: number
}
