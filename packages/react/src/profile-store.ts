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

/** The profile of the person who is logged in, requested once for all components that show it. */
export class ProfileStore {
  private known: Known | null = null
  /** The request under way, and whose profile it is for. */
  private asked: { readonly userId: string; readonly done: Promise<void> } | null = null
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

  /** Requests it unless it is loaded or on its way. A failure leaves it unknown, and the next call tries again. */
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
      const isSame = this.client.state.caller?.userId === userId
      if (answer.ok && isSame) this.known = { userId, profile: (await answer.json()) as Profile }
    } catch {
      // Nobody is logged in any more, or nothing answers: the session reports that.
    }
  }
}
