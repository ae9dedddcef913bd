import type { Client } from '@mainstay-auth/client'

/** Who somebody is, as they and their team see it. */
export interface Profile {
  readonly email: string
  /** Null where they have given none. */
  readonly name: string | null
}

interface Known {
  readonly userId: string
  readonly profile: Profile
}

/** The profile of whoever is logged in, asked for once for all components that show it. */
export class ProfileStore {
  private known: Known | null = null
  /** Whose is on its way. */
  private asked: string | null = null
  private readonly listeners = new Set<() => void>()

  constructor(private readonly client: Client) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Null until it is there. */
  of(userId: string | null): Profile | null {
    return userId !== null && this.known?.userId === userId ? this.known.profile : null
  }

  /** Asks for it unless it is there or on its way; a failure leaves it unknown, and the next call asks again. */
  async load(userId: string, isAnew = false): Promise<void> {
    if (this.asked === userId || (!isAnew && this.of(userId))) return
    this.asked = userId
    try {
      const answer = await this.client.fetch('/api/profile')
      const isSame = this.client.state.caller?.userId === userId
      if (answer.ok && isSame) this.known = { userId, profile: (await answer.json()) as Profile }
    } catch {
      // Nobody is logged in any longer, or nothing answers: the session says so.
    } finally {
      this.asked = null
      for (const listener of this.listeners) listener()
    }
  }
}
