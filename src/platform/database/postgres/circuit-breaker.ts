/** How often a silent server is tried again. */
export const RETRY_MS = 250
/** While nobody waits, a probe may take as long as connecting does on a bad day. */
export const RETRY_LIMIT_MS = 2_000
/** How many times within `patienceMs` it checks for silence. */
const TICKS = 8
/** A tick that is later than this many intervals was delayed by this process itself. */
const LATE_TICKS = 2

export interface CircuitBreakerOptions {
  /** A server is given up after this long without any answer. */
  readonly patienceMs: number
  /** Whether an error means that the server is out of reach. */
  readonly isOutage: (error: unknown) => boolean
  /** Rejects when the server does not answer within `limitMs`, or cannot serve. */
  readonly probe: (limitMs: number) => Promise<void>
  /** Called when everything in progress has been given up. */
  readonly onOpen: () => void
}

/**
 * Keeps requests from waiting for a silent server. A slow answer is not silence: when no answer at all has come
 * for half of the patience, a probe has the other half to get one. If it fails, everything in progress fails at
 * once, and so does everything new until a probe succeeds. A stalled process, such as one that is loading code,
 * hears no answers: a probe that failed in the meantime is repeated once.
 */
export class CircuitBreaker {
  private isOpen = false
  private isStopped = false
  private lastAnswerAt = Number.NEGATIVE_INFINITY
  private tickedAt = performance.now()
  /** Until when this process was last stalled. */
  private stalledAt = Number.NEGATIVE_INFINITY
  private probing: Promise<void> | null = null
  private retry: NodeJS.Timeout | undefined
  private readonly ticks: NodeJS.Timeout
  /** What is waiting, oldest first, and since when. */
  private readonly waiting = new Map<(error: Error) => void, number>()

  constructor(private readonly options: CircuitBreakerOptions) {
    // After this process was stalled, timers run before the answers that have already arrived are read.
    this.ticks = setInterval(() => setImmediate(() => this.tick()), options.patienceMs / TICKS).unref()
  }

  /** Runs `work`; rejects with its error, or early when the server is silent. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) return Promise.reject(silence())
    return new Promise((resolve, reject) => {
      this.waiting.set(reject, performance.now())
      const done = (async () => work())()
      done
        .finally(() => this.waiting.delete(reject))
        .then(
          value => {
            this.lastAnswerAt = performance.now()
            resolve(value)
          },
          error => {
            if (this.options.isOutage(error)) this.suspect()
            else this.lastAnswerAt = performance.now()
            reject(error)
          },
        )
    })
  }

  /** Gives up everything in progress, and fails until a probe succeeds. */
  open(): void {
    if (this.isOpen || this.isStopped) return
    this.isOpen = true
    this.options.onOpen()
    for (const reject of this.waiting.keys()) reject(silence())
    this.retryLater()
  }

  /** A probe may still be in flight; nothing follows it. */
  stop(): void {
    this.isStopped = true
    clearInterval(this.ticks)
    clearTimeout(this.retry)
  }

  private tick(): void {
    const now = performance.now()
    if (now - this.tickedAt > (LATE_TICKS * this.options.patienceMs) / TICKS) this.stalledAt = now
    this.tickedAt = now
    const [oldest] = this.waiting.values()
    if (oldest === undefined || this.isOpen) return
    const silentMs = now - Math.max(oldest, this.lastAnswerAt)
    if (silentMs >= this.options.patienceMs / 2) this.suspect()
  }

  private suspect(): void {
    if (this.isOpen) return
    this.probing ??= this.probe()
      .then(
        () => {
          this.lastAnswerAt = performance.now()
        },
        () => this.open(),
      )
      .finally(() => {
        this.probing = null
      })
  }

  private async probe(): Promise<void> {
    const { patienceMs, probe } = this.options
    const startedAt = performance.now()
    try {
      await probe(patienceMs / 2)
    } catch (error) {
      if (this.stalledAt < startedAt) throw error
      await probe(patienceMs)
    }
  }

  private retryLater(): void {
    if (this.isStopped) return
    this.retry = setTimeout(() => {
      this.options.probe(RETRY_LIMIT_MS).then(
        () => {
          this.isOpen = false
        },
        () => this.retryLater(),
      )
    }, RETRY_MS).unref()
  }
}

function silence(): Error {
  return new Error('the server does not answer')
}
