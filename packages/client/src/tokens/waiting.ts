import { MainstayError } from '../http/mainstay-error.js'
import type { Platform } from '../platform.js'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/** How long to wait between attempts at one thing after successive failures. */
export class Backoff {
  failures = 0
  /** No attempt before this moment of the monotonic clock. */
  private notBefore = 0
  /** The service does not want to be asked before this, whatever happens on the device. */
  private earliest = 0
  private wake = () => {}
  private readonly stopListening: () => void

  constructor(private readonly platform: Platform) {
    this.stopListening = platform.onWake(() => this.hurry())
  }

  get isOver(): boolean {
    return this.platform.now() >= this.notBefore
  }

  /**
   * Waits twice as long each time, on top of what the service asked for, with jitter, so that clients that
   * were refused together do not come back together. Returns milliseconds.
   */
  fail(error: unknown): number {
    const { platform } = this
    const asked = error instanceof MainstayError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures)
    this.failures += 1
    this.earliest = platform.now() + asked
    this.notBefore = this.earliest + longest * (0.5 + platform.random() / 2)
    return this.notBefore - platform.now()
  }

  /** Adopts what another tab was told. */
  follow(ms: number, failures: number): void {
    this.failures = failures
    this.notBefore = this.platform.now() + ms * (1 + this.platform.random())
  }

  reset(): void {
    this.failures = this.notBefore = this.earliest = 0
  }

  /** Resolves when the time has come, or `signal` aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    while (!this.isOver && !signal.aborted) {
      const nap = new AbortController()
      this.wake = () => nap.abort()
      signal.addEventListener('abort', this.wake)
      await sleep(this.platform, this.notBefore - this.platform.now(), nap.signal)
      signal.removeEventListener('abort', this.wake)
    }
  }

  close(): void {
    this.stopListening()
  }

  /** The network is back, or the page is visible again. */
  private hurry(): void {
    this.notBefore = Math.min(this.notBefore, this.earliest)
    this.wake()
  }
}

/** Whether trying again may help: a lost network, an outage, an overloaded service; not a refusal. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof MainstayError) || error.status >= 500 || [408, 425, 429].includes(error.status)
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
async function sleep(platform: Platform, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => {
    const wake = () => {
      callOff()
      resolve()
    }
    const callOff = platform.after(ms, wake)
    signal.addEventListener('abort', wake)
  })
}

/** `promise`, unless the caller's `signal` aborts first: then rejects as `fetch` would. The work itself continues. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason ?? Object.assign(new Error('Aborted'), { name: 'AbortError' }))
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
