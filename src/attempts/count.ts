/** How far a counter has come. */
export interface Count {
  readonly points: number
  /** Until it begins anew. */
  readonly msLeft: number
}

/** What to count, and how long from the first time on. */
export interface Counted {
  readonly key: string
  readonly windowSeconds: number
}
