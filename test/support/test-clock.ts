import { Clock } from '../sources.js'

/** Runs with the real time until it is moved; then so much ahead of it. */
export class TestClock extends Clock {
  private aheadMs = 0

  override now(): Date {
    return new Date(Date.now() + this.aheadMs)
  }

  advance(seconds: number): void {
    this.aheadMs += seconds * 1000
  }
}
