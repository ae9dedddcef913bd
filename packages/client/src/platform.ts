/** The part of the Web Locks API that we use. */
export interface Locks {
  request(name: string, options: { signal: AbortSignal }, work: () => Promise<void>): Promise<unknown>
}

export interface Channel {
  postMessage(message: unknown): void
  close(): void
}

interface WakeEvent {
  readonly persisted?: boolean
}

/** What the client takes from the device; tests bring their own. */
export interface Platform {
  readonly fetch: typeof fetch
  /** Milliseconds since some moment, also those that the device slept. Never goes back. */
  now(): number
  /** Milliseconds of the device's clock: only ever compared with what another tab on this device read from it. */
  deviceTime(): number
  /** From 0 to 1. */
  random(): number
  /** Runs once after `ms`; returns a function that cancels it. An idle timer does not keep a Node process alive. */
  after(ms: number, run: () => void, isIdle?: boolean): () => void
  /**
   * Calls `listener` when the network comes back or the page becomes visible again; with `persisted` when the browser
   * has restored the whole page from its cache: messages from other tabs were lost meanwhile. Returns a function that
   * unsubscribes.
   */
  onWake(listener: (event: WakeEvent) => void): () => void
  /**
   * Calls `listener` when somebody uses the page: moves, types, or looks at it again. Returns a function that
   * unsubscribes; null where there is no page, and only calls show that somebody is there.
   */
  onUse(listener: () => void): (() => void) | null
  /** For the developer of the site. */
  warn(message: string): void
  /** Undefined where there is only one tab, or no Web Locks (browsers have them only in secure contexts). */
  readonly locks: Locks | undefined
  openChannel(name: string, receive: (message: unknown) => void): Channel | null
}

interface Events {
  addEventListener?(name: string, listener: (event: WakeEvent) => void, options?: object): void
  removeEventListener?(name: string, listener: (event: WakeEvent) => void, options?: object): void
}

interface Page extends Events {
  readonly document?: Events & { readonly visibilityState: string }
  readonly navigator?: { readonly locks?: Locks }
}

const page = globalThis as Page

/**
 * The device that this runs on. Tabs find each other only in pages: on a server that renders pages, the same
 * names would mix up different people.
 */
export function thisPlatform(fetchInstead?: typeof fetch): Platform {
  const { document, navigator } = page
  let ahead = Date.now() - performance.now()
  let sleptMs = 0
  return {
    // The browser's own `fetch` must be called with the global as `this`.
    fetch: (fetchInstead ?? globalThis.fetch).bind(globalThis),
    // The monotonic clock of some devices stands still while they sleep; the other one may be set back.
    now: () => {
      const monotonic = performance.now()
      const leap = Date.now() - monotonic - ahead
      ahead += leap
      if (leap > 1_000) sleptMs += leap
      return monotonic + sleptMs
    },
    deviceTime: () => Date.now(),
    random: Math.random,
    after: startTimer,
    onWake,
    onUse,
    warn: message => console.error(message),
    locks: document && navigator?.locks,
    openChannel: (name, receive) => (document ? openChannel(name, receive) : null),
  }
}

function startTimer(ms: number, run: () => void, isIdle = false): () => void {
  const timer = setTimeout(run, ms) as { unref?(): void } & ReturnType<typeof setTimeout>
  if (isIdle) timer.unref?.()
  return () => clearTimeout(timer)
}

function onWake(listener: (event: WakeEvent) => void): () => void {
  const { document } = page
  const whenSeen = (event: WakeEvent) => document?.visibilityState === 'visible' && listener(event)
  const change = (method: 'addEventListener' | 'removeEventListener') => {
    page[method]?.('online', listener)
    page[method]?.('pageshow', listener)
    document?.[method]?.('visibilitychange', whenSeen)
  }
  change('addEventListener')
  return () => change('removeEventListener')
}

const USES = ['pointermove', 'pointerdown', 'keydown', 'wheel']
/** Before any handler of the page that stops an event, and never in the way of scrolling. */
const WATCHING = { capture: true, passive: true }

function onUse(listener: () => void): (() => void) | null {
  const { document } = page
  if (!document) return null
  const whenSeen = () => document.visibilityState === 'visible' && listener()
  const change = (method: 'addEventListener' | 'removeEventListener') => {
    for (const use of USES) document[method]?.(use, listener, WATCHING)
    document[method]?.('visibilitychange', whenSeen)
  }
  change('addEventListener')
  return () => change('removeEventListener')
}

function openChannel(name: string, receive: (message: unknown) => void): Channel | null {
  try {
    const channel = new BroadcastChannel(name)
    channel.onmessage = event => receive((event as { data: unknown }).data)
    return channel
  } catch {
    // Firefox, where the site may not store anything; old browsers have no such class.
    return null
  }
}
