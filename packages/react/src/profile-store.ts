import type { Client } from '@mainstay-auth/client'

/** A person as they and their team see them. */
export interface Profile {
  readonly email: string
  /** Null when they have not given one. */
  readonly name: string | null
}

interface Known {
  readonly userId: string
  readonly profile: Profile
}

/** How long after a failure it is requested again, unless the service asks for more. */
const RETRY_MS = 10_000
/** No longer than the client itself waits. */
const LONGEST_RETRY_MS = 24 * 3_600_000

/** The profile of the person who is logged in, requested once for all components that show it. */
export class ProfileStore {
  private known: Known | null = null
  /** The request under way, and whose profile it is for. */
  private asked: { readonly userId: string; readonly done: Promise<void> } | null = null
  private retry: ReturnType<typeof setTimeout> | undefined
  private readonly listeners = new Set<() => void>()

  constructor(private readonly client: Client) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Null until it is loaded. */
  of(userId: string | null): Profile | null {
    return userId !== null && this.known?.userId === userId ? this.known.profile : null
  }

  /**
   * Requests it unless it is loaded or on its way. Resolves also after a failure; as long as somebody shows
   * it, it is requested again later.
   */
  async load(userId: string, isAnew = false): Promise<void> {
    if (!isAnew && (this.asked?.userId === userId || this.of(userId))) return
    // What is under way may bring what was true before.
    while (this.asked?.userId === userId) await this.asked.done
    const asked = { userId, done: this.request(userId) }
    this.asked = asked
    await asked.done
    if (this.asked === asked) this.asked = null
    for (const listener of this.listeners) listener()
  }

  private async request(userId: string): Promise<void> {
    try {
      const answer = await this.client.fetch('/api/profile')
      if (answer.ok && this.isLoggedIn(userId))
        this.known = { userId, profile: (await answer.json()) as Profile }
      if (answer.status >= 500 || answer.status === 429)
        this.retryLater(userId, (Number(answer.headers.get('Retry-After')) || 0) * 1000)
    } catch {
      // No user is logged in any more, which the session reports, or nothing answers.
      this.retryLater(userId)
    }
  }

  private retryLater(userId: string, askedMs = 0): void {
    clearTimeout(this.retry)
    const ms = Math.min(Math.max(RETRY_MS, askedMs), LONGEST_RETRY_MS)
    this.retry = setTimeout(() => {
      if (this.isLoggedIn(userId) && this.listeners.size > 0) void this.load(userId, true)
    }, ms)
  }

  private isLoggedIn(userId: string): boolean {
    return this.client.state.caller?.userId === userId
  }
}
