/** The part of the Web Locks API that we use. */
export interface Locks {
  request(name: string, options: { signal: AbortSignal }, work: () => Promise<void>): Promise<unknown>
}

export interface Channel {
  post(message: unknown): void
  close(): void
}

/** What the client takes from the device; tests bring their own. */
export interface Platform {
  readonly fetch: typeof fetch
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Milliseconds of the device's clock: only ever compared with what another tab on this device read from it. */
  deviceTime(): number
  /** From 0 to 1. */
  random(): number
  /** Runs once after `ms`; returns a function that cancels it. An idle timer does not keep a Node process alive. */
  after(ms: number, run: () => void, isIdle?: boolean): () => void
  /**
   * Calls `listener` when the network comes back or the page becomes visible again. Returns a function that
   * unsubscribes.
   */
  onWake(listener: () => void): () => void
  /** For the developer of the site. */
  warn(message: string): void
  /** Null where there is only one tab, or no Web Locks (browsers have them only in secure contexts). */
  readonly locks: Locks | null
  openChannel(name: string, receive: (message: unknown) => void): Channel | null
}

interface Events {
  addEventListener?(name: string, listener: () => void): void
  removeEventListener?(name: string, listener: () => void): void
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
  return {
    // Browsers' own wants to be called like this.
    fetch: (fetchInstead ?? globalThis.fetch).bind(globalThis),
    now: () => performance.now(),
    deviceTime: () => Date.now(),
    random: Math.random,
    after: startTimer,
    onWake,
    warn: message => console.error(message),
    locks: (document && navigator?.locks) ?? null,
    openChannel: (name, receive) =>
      document && typeof BroadcastChannel === 'function' ? openChannel(name, receive) : null,
  }
}

function startTimer(ms: number, run: () => void, isIdle = false): () => void {
  const timer = setTimeout(run, ms) as { unref?(): void } & ReturnType<typeof setTimeout>
  if (isIdle) timer.unref?.()
  return () => clearTimeout(timer)
}

function onWake(listener: () => void): () => void {
  const { document } = page
  const whenSeen = () => document?.visibilityState === 'visible' && listener()
  const change = (method: 'addEventListener' | 'removeEventListener') => {
    page[method]?.('online', listener)
    document?.[method]?.('visibilitychange', whenSeen)
  }
  change('addEventListener')
  return () => change('removeEventListener')
}

function openChannel(name: string, receive: (message: unknown) => void): Channel | null {
  try {
    const channel = new BroadcastChannel(name)
    channel.onmessage = event => receive((event as { data: unknown }).data)
    return { post: message => channel.postMessage(message), close: () => channel.close() }
  } catch {
    // Firefox, where the site may not store anything.
    return null
  }
}
