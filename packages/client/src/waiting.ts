import type { MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
/** Of what the service asks for: a misconfigured proxy may ask for months, which no timer can wait. */
const LONGEST_ASKED_MS = 24 * 3_600_000

/** How long one tab waits, and others with it. */
export interface Wait {
  /** On top of what the service asked for. */
  readonly ms: number
  /** What the service asked for: not to be cut short, whatever happens on the device. */
  readonly askedMs: number
  readonly failures: number
}

/** How long to wait between attempts at one thing after successive failures. */
export class Backoff {
  failures = 0
  /** No attempt before this moment of the monotonic clock. */
  private notBefore = 0
  /** The service does not want to be asked before this, whatever happens on the device. */
  private earliest = 0
  private wake = () => {}
  /** Call it when nothing is waited for any more. */
  readonly close: () => void

  constructor(private readonly platform: Platform) {
    // The network is back, or the page is visible again.
    this.close = platform.onWake(() => {
      this.notBefore = Math.min(this.notBefore, this.earliest)
      this.wake()
    })
  }

  get isOver(): boolean {
    return this.platform.now() >= this.notBefore
  }

  /**
   * Waits twice as long each time, on top of what the service asked for, with jitter, so that clients that
   * were refused together do not come back together. Returns what others are to wait: what a 429 asks for is meant for
   * this one alone.
   */
  fail(error: unknown): Wait {
    const { status, retryAfterSeconds } = error as Partial<MainstayError>
    const askedMs = Math.min((retryAfterSeconds ?? 0) * 1000, LONGEST_ASKED_MS)
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures)
    const ms = longest * (0.5 + this.platform.random() / 2)
    const wait = { ms, askedMs, failures: this.failures + 1 }
    this.follow(wait, 0, 1)
    return status === 429 ? { ...wait, askedMs: 0 } : wait
  }

  /**
   * Adopts what another tab learnt `age` milliseconds ago. In one of an older version, `ms` includes what the service
   * asked for, and has no limit.
   */
  follow({ ms, askedMs = 0, failures }: Wait, age: number, factor = 1 + this.platform.random()): void {
    this.failures = failures
    this.earliest = Math.max(this.earliest, this.platform.now() - age + askedMs)
    this.notBefore = this.earliest + Math.min(ms, LONGEST_ASKED_MS) * factor
  }

  reset(): void {
    this.failures = this.notBefore = this.earliest = 0
  }

  /** Resolves when the time has come, or `signal` aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    while (!this.isOver && !signal.aborted) {
      const time = new Promise<void>(resolve => {
        const callOff = this.platform.after(this.notBefore - this.platform.now(), resolve)
        this.wake = () => {
          callOff()
          resolve()
        }
      })
      await unlessAborted(time, signal).catch(this.wake)
    }
  }
}

/** Whether trying again may help: a lost network, an outage, an overloaded service; not a refusal. */
export function isTransient(error: unknown): boolean {
  const { status } = error as Partial<MainstayError>
  return !status || status >= 500 || [408, 425, 429].includes(status)
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
