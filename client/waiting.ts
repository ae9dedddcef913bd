import { MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/**
 * How long to wait after so many failures in a row: twice as long each time, on top of what the service asked for,
 * and never the same for two clients, so that those that were refused together do not come back together.
 */
export function waitMs(failures: number, error: unknown, random: number): number {
  const asked = error instanceof MainstayError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  return asked + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + random / 2)
}

/** Whether trying again may help: a lost network, an outage, a full house; not a refusal. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof MainstayError) || error.status >= 500 || [408, 425, 429].includes(error.status)
}

/** Resolves after so many milliseconds, or as soon as `signal` aborts. */
export async function sleep(platform: Platform, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await new Promise<void>(resolve => {
    const wake = () => {
      callOff()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const callOff = platform.after(ms, wake)
    signal.addEventListener('abort', wake)
  })
}

/** `promise`, unless the caller's `signal` aborts first; then rejects as `fetch` would. The work itself goes on. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason ?? Object.assign(new Error('Aborted'), { name: 'AbortError' }))
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
