import type { Channel, Locks, Platform } from '../../sources.js'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** How long a message takes from one tab to another. */
const CHANNEL_MS = 20

/** A device with a clock that stands still unless it is moved, and any number of tabs that share locks and channels. */
export class SimulatedDevice {
  private timeMs = 0
  private readonly timers = new Set<Timer>()
  private readonly queues = new Map<string, Promise<void>>()
  private readonly channels = new Map<string, Set<(message: unknown) => void>>()
  private readonly useListeners = new Set<() => void>()
  private readonly wakeListeners = new Set<Parameters<Platform['onWake']>[0]>()
  /** What a person with the developer tools open sees. */
  readonly warnings: string[] = []
  /** What its owner has set the clock to. */
  clockMs = Date.UTC(2026, 0, 1)

  get now(): number {
    return this.timeMs
  }

  /** What a tab takes from this device. Without `shares`, as in a browser that has neither locks nor channels. */
  tab(fetch: typeof globalThis.fetch, { shares = true, hasPage = true } = {}): Platform {
    return {
      fetch,
      now: () => this.timeMs,
      deviceTime: () => this.clockMs + this.timeMs,
      random: Math.random,
      after: (ms, run) => this.after(ms, run),
      onWake: listener => {
        this.wakeListeners.add(listener)
        return () => this.wakeListeners.delete(listener)
      },
      onUse: listener => {
        if (!hasPage) return null
        this.useListeners.add(listener)
        return () => this.useListeners.delete(listener)
      },
      warn: message => this.warnings.push(message),
      locks: shares ? this.locks : undefined,
      openChannel: (name, receive) => (shares ? this.openChannel(name, receive) : null),
    }
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.timeMs + Math.max(0, ms), run }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }

  sleep(ms: number): Promise<void> {
    return new Promise(done => this.after(ms, done))
  }

  /** Lets so much time pass, and everything happen that was to happen in it. */
  async advance(ms: number): Promise<void> {
    const end = this.timeMs + ms
    await settle()
    for (let timer = this.nextBefore(end); timer; timer = this.nextBefore(end)) {
      this.timers.delete(timer)
      this.timeMs = timer.at
      timer.run()
      await settle()
    }
    this.timeMs = end
  }

  /** The network comes back, or somebody looks at the page again. */
  wake(): void {
    for (const listener of this.wakeListeners) listener({})
  }

  /** Somebody goes back to pages that the browser has kept as they were. */
  putBack(): void {
    for (const listener of this.wakeListeners) listener({ persisted: true })
  }

  /** Somebody moves the pointer, or types, in every tab. */
  use(): void {
    for (const listener of this.useListeners) listener()
  }

  get listeners(): number {
    return this.wakeListeners.size + this.useListeners.size
  }

  /** Holds a lock for ever, as a tab that was frozen with it. */
  holdForEver(name: string): void {
    this.queues.set(name, new Promise(() => {}))
  }

  private readonly locks: Locks = {
    request: async (name, { signal }, work) => {
      const before = this.queues.get(name) ?? Promise.resolve()
      const aborted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('AbortError'))),
      )
      let isGranted = false
      const granted = before.then(async () => {
        if (signal.aborted) return
        isGranted = true
        await work()
      })
      this.queues.set(name, granted)
      await Promise.race([granted, aborted.catch(error => (isGranted ? granted : Promise.reject(error)))])
    },
  }

  private openChannel(name: string, receive: (message: unknown) => void): Channel {
    const receivers = this.channels.get(name) ?? new Set()
    this.channels.set(name, receivers.add(receive))
    return {
      postMessage: message => {
        if (!receivers.has(receive)) throw new Error('InvalidStateError')
        const copy = structuredClone(message)
        for (const other of receivers) {
          if (other !== receive) this.after(CHANNEL_MS, () => receivers.has(other) && other(copy))
        }
      },
      close: () => receivers.delete(receive),
    }
  }

  private nextBefore(end: number): Timer | undefined {
    const due = [...this.timers].filter(({ at }) => at <= end)
    return due.reduce<Timer | undefined>(
      (first, timer) => (first && first.at <= timer.at ? first : timer),
      undefined,
    )
  }
}

/** Long enough for every promise that waits for no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(done => setImmediate(done))
}
