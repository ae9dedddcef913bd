import { setTimeout as sleep } from 'node:timers/promises'
import { type DynamicModule, Module } from '@nestjs/common'

/** The only source of the current time; tests replace it with a clock that they control. */
export class Clock {
  now(): Date {
    return new Date()
  }
}

/** Whole seconds since 1970, as JWT and Stripe count time. */
export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

export function secondsAfter(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}

/** RFC 3339 with an offset: without one, a time depends on the time zone. */
const INSTANT = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** The text as a time, `2026-11-21T10:00:00Z` or with another offset; null when it is not one. */
export function asInstant(text: string): Date | null {
  const time = INSTANT.test(text) ? new Date(text) : null
  return time && !Number.isNaN(time.getTime()) ? time : null
}

/** Makes the clock injectable everywhere. */
@Module({})
export class ClockModule {
  static with(clock: Clock): DynamicModule {
    return {
      module: ClockModule,
      global: true,
      providers: [{ provide: Clock, useValue: clock }],
      exports: [Clock],
    }
  }
}

/** Longer than requesting a mail takes on a machine that is not overloaded, and too short to notice. */
const MIN_MS = 100

/**
 * The result of `work`, after a tenth of a second at the earliest. The paths through it differ by fractions
 * of a millisecond, which would eventually reveal who has an account. Rejects at once.
 */
export async function withMinimumDuration<T>(work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, sleep(MIN_MS)])
  return result
}

/** Like {@link withMinimumDuration}, where only a rejection must not reveal by its time why it rejects. Resolves at once. */
export async function rejectedNoSooner<T>(work: Promise<T>): Promise<T> {
  const earliest = sleep(MIN_MS)
  try {
    return await work
  } catch (error) {
    await earliest
    throw error
  }
}

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

/** A turn of the event loop. */
interface Turn {
  /** By `performance.now()`; null while it lasts. */
  endedAt: number | null
}

let thisTurn: Turn | null = null

/** Shared by all callers in the same turn. */
function currentTurn(): Turn {
  if (thisTurn) return thisTurn
  const turn: Turn = { endedAt: null }
  thisTurn = turn
  setImmediate(() => {
    turn.endedAt = performance.now()
    thisTurn = null
  })
  return turn
}

/**
 * Rejects when `work` takes longer, counted from the end of the event loop turn in which it begins: what it sends
 * goes out only then, and with thousands of requests a turn can last longer than the limit. After a long turn,
 * timers run before the answers that have already arrived are read; those still count.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const turn = currentTurn()
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      // Timers count from the beginning of the turn in which they are set, and so may fire early.
      const leftMs = milliseconds - (performance.now() - (turn.endedAt ?? performance.now()))
      if (leftMs < 1) return reject(new Error(`no answer in ${milliseconds} ms`))
      timer = setTimeout(setImmediate, leftMs, giveUp)
    }
    let timer = setTimeout(setImmediate, milliseconds, giveUp)
    work.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
