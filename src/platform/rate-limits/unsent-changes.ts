import type { Increment, SharedCounters } from './shared-counters.js'

/** The part of Redis that it needs. */
export type CounterTarget = Pick<SharedCounters, 'count' | 'forget'>

/** What Redis must still be told about one counter: a reset, an amount to add or subtract, or both. */
interface Change {
  readonly isReset: boolean
  /** Negative to subtract. */
  readonly points: number
  /** When its window ends, in milliseconds of the process clock. */
  readonly endsAt: number
}

/** Sessions use the same connection, and must not wait for everything at once after a long outage. */
const MAX_AT_ONCE = 500

/**
 * What was counted or refunded while Redis did not answer. It is sent when Redis answers again; otherwise
 * each short silence would allow free guesses, and right ones would stay counted. What was in progress when
 * Redis fell silent may be counted twice.
 */
export class UnsentChanges {
  private readonly changes = new Map<string, Change>()
  /** Being sent; what fails becomes unsent again. */
  private readonly sending = new Set<string>()

  /** Adds one to each counter. */
  add(increments: readonly Increment[]): void {
    this.noteEach(increments, 1)
  }

  /** Subtracts one from each counter. */
  subtract(increments: readonly Increment[]): void {
    this.noteEach(increments, -1)
  }

  /** Whether there is an unsent addition to this counter that is not being sent yet. */
  willAddTo(key: string): boolean {
    return (this.changes.get(key)?.points ?? 0) > 0
  }

  /** Drops what is unsent for these counters. */
  cancel(keys: readonly string[]): void {
    for (const key of keys) {
      this.changes.delete(key)
      this.sending.delete(key)
    }
  }

  /** Resets these counters. */
  reset(keys: readonly string[]): void {
    for (const key of keys) this.note(key, { isReset: true, points: 0, endsAt: Number.POSITIVE_INFINITY })
  }

  /**
   * Starts sending, in this tick, to where `isAnswering` says that it will arrive. What cannot be sent is
   * kept until its window ends; the rest does not wait for it.
   */
  send(counters: CounterTarget, isAnswering: (key: string) => boolean): void {
    // What is being sent may still fail, and then two changes of one counter could not be told apart.
    if (this.sending.size > 0) return
    const now = performance.now()
    for (const [key, change] of this.changes) {
      if (this.sending.size === MAX_AT_ONCE) return
      if (change.endsAt <= now) this.changes.delete(key)
      else if (isAnswering(key)) this.sendOne(counters, key, change)
    }
  }

  private sendOne(counters: CounterTarget, key: string, change: Change): void {
    this.changes.delete(key)
    this.sending.add(key)
    apply(counters, key, change).then(
      () => this.sending.delete(key),
      () => {
        if (this.sending.delete(key)) this.note(key, change)
      },
    )
  }

  private noteEach(increments: readonly Increment[], points: number): void {
    const now = performance.now()
    for (const { key, windowSeconds } of increments)
      this.note(key, { isReset: false, points, endsAt: now + windowSeconds * 1000 })
  }

  private note(key: string, more: Change): void {
    const before = this.changes.get(key)
    const change = before ? merged(before, more) : more
    if (change.points === 0 && !change.isReset) this.changes.delete(key)
    else this.changes.set(key, change)
  }
}

function merged(one: Change, other: Change): Change {
  return {
    isReset: one.isReset || other.isReset,
    points: one.points + other.points,
    endsAt: Math.min(one.endsAt, other.endsAt),
  }
}

async function apply(
  counters: CounterTarget,
  key: string,
  { isReset, points, endsAt }: Change,
): Promise<void> {
  const windowSeconds = Math.ceil((endsAt - performance.now()) / 1000)
  const isDue = windowSeconds > 0 && (points > 0 || (points < 0 && !isReset))
  await Promise.all([
    isReset && counters.forget([key]),
    isDue && counters.count(points, [{ key, windowSeconds }]),
  ])
}
