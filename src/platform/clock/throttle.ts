/** Lets something happen once in a while, such as a line in the log. */
export class Throttle {
  private takenAt = Number.NEGATIVE_INFINITY

  constructor(private readonly everyMs: number) {}

  /** Whether it may happen now; if so, not again for `everyMs`. */
  take(): boolean {
    const now = performance.now()
    if (now - this.takenAt < this.everyMs) return false
    this.takenAt = now
    return true
  }
}
