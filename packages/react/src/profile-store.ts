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
  /** The user whose profile is being requested. */
  private asked: string | null = null
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
    if (this.asked === userId || (!isAnew && this.of(userId))) return
    this.asked = userId
    try {
      const answer = await this.client.fetch('/api/profile')
      const isSame = this.client.state.caller?.userId === userId
      if (answer.ok && isSame) this.known = { userId, profile: (await answer.json()) as Profile }
    } catch {
      // Nobody is logged in any more, or nothing answers: the session reports that.
    } finally {
      this.asked = null
      for (const listener of this.listeners) listener()
    }
  }
}
