import type { Client } from '@mainstay-auth/client'
import { type HandOff, type HandOffRefusal, handOff } from '@mainstay-auth/client/handoff'

/** What has become of the login that this page has come back with from the main site. */
export type Returned =
  | { readonly status: 'none' }
  | { readonly status: 'underWay' }
  | { readonly status: 'refused'; readonly reason: HandOffRefusal }
  | { readonly status: 'failed'; readonly error: unknown }

export const NONE: Returned = { status: 'none' }

/** The hand-off of one client, and its way back, for all components that show it. */
export class HandOffReturn {
  /** Null on the main site, which people are handed off from. */
  readonly handOff: HandOff | null
  current: Returned = NONE
  private readonly listeners = new Set<() => void>()

  constructor(client: Client) {
    this.handOff = client.source === 'satellite' ? handOff(client) : null
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Logs in with the answer of the main site, if there is one. Safe to repeat. */
  async complete(): Promise<void> {
    if (!this.handOff || this.current !== NONE) return
    this.change({ status: 'underWay' })
    try {
      const result = await this.handOff.completeHandOff()
      this.change(result?.status === 'refused' ? { status: 'refused', reason: result.reason } : NONE)
    } catch (error) {
      this.change({ status: 'failed', error })
    }
  }

  /** Once the user tries again, the last try is no news. */
  forget(): void {
    if (this.current.status !== 'underWay') this.change(NONE)
  }

  private change(returned: Returned): void {
    this.current = returned
    for (const listener of this.listeners) listener()
  }
}
