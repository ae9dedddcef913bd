import type { LogoutCause, WaitReason } from '../http/caller.js'
import type { Channel, Platform } from '../platform.js'
import type { Wait } from './waiting.js'

/**
 * What tabs tell each other. The channel is open only to pages of this same origin, whose scripts could
 * refresh for themselves anyway; the session secret is never sent on it. `bornAt` is device time, because a frozen tab
 * may read its messages much later.
 */
export type Message =
  /** A token was issued. */
  | { readonly kind: 'token'; readonly accessToken: string; readonly bornAt: number }
  /** `sid` is null for the session of the cookie, whichever it is. */
  | {
      readonly kind: 'ended'
      readonly sid: string | null
      readonly cause: LogoutCause | null
      readonly bornAt?: undefined
    }
  /** A refresh failed: nobody asks again for so long. */
  | ({ readonly kind: 'wait'; readonly reason: WaitReason; readonly bornAt: number } & Wait)

/**
 * Two refreshes at once are merely a waste; one that never comes is a standstill, since a tab may be frozen
 * while it holds the lock.
 */
const LONGEST_LOCK_WAIT_MS = 15_000
/** The lock is held this much longer, so that what was posted has arrived when the next tab gets it. */
const LOCK_TAIL_MS = 100

/** The other tabs of this origin with a client of the same name. */
export class Tabs {
  /** Null also after `close`. */
  private channel: Channel | null

  constructor(
    private readonly name: string,
    private readonly platform: Platform,
    receive: (message: Message) => void,
  ) {
    this.channel = platform.openChannel(name, receive as (message: unknown) => void)
  }

  tell(message: Message): void {
    this.channel?.postMessage(message)
  }

  /** Does the work while no other tab does. Resolves when it is done, or as soon as `signal` aborts. */
  inTurn(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { locks } = this.platform
    if (!locks || signal.aborted) return work()
    const queue = new AbortController()
    const listening = new AbortController()
    return new Promise<void>((resolve, reject) => {
      const workNow = () => work().then(resolve, reject)
      const callOff = this.platform.after(LONGEST_LOCK_WAIT_MS, () => {
        queue.abort()
        void workNow()
      })
      const leave = () => {
        callOff()
        resolve()
      }
      signal.addEventListener('abort', leave, { signal: listening.signal })
      locks
        .request(this.name, { signal: queue.signal }, async () => {
          callOff()
          if (queue.signal.aborted) return
          await workNow()
          await new Promise<void>(done => this.platform.after(LOCK_TAIL_MS, done))
        })
        .catch(() => {
          // A sandboxed frame has no right to locks.
          callOff()
          if (!queue.signal.aborted) void workNow()
        })
    }).finally(() => {
      queue.abort()
      listening.abort()
    })
  }

  close(): void {
    this.channel?.close()
    this.channel = null
  }
}
