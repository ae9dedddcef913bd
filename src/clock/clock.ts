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

/**
 * Rejects when `work` takes longer. After this process was stalled, timers run before the answers that have
 * already arrived are read; those still count.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer in ${milliseconds} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
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
