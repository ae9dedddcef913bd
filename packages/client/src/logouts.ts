import type { SessionCalls } from './calls.js'
import type { MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'
import type { Presented, SessionHome } from './session-home.js'
import type { AccessToken, SessionState } from './session-state.js'
import type { TokenKeeper } from './token-keeper.js'
import { Backoff, isTransient } from './waiting.js'

/** What is left of a session that this device has logged out of. */
export interface UnfinishedLogout {
  readonly token: AccessToken | null
  readonly session: Presented | null
  readonly sid: string | null
  /** Whether storage could not take the note of it that a login in any tab clears. */
  readonly isUnnoted?: boolean
}

/** Tells the service that a session is over, retrying until it knows. */
export class Logout {
  readonly done: Promise<void>
  private readonly calledOff = new AbortController()
  private readonly backoff: Backoff
  private token: AccessToken | null

  constructor(
    private readonly calls: SessionCalls,
    private readonly home: SessionHome,
    platform: Platform,
    private readonly unfinished: UnfinishedLogout,
    private readonly sessionState: SessionState,
  ) {
    this.token = unfinished.token
    this.backoff = new Backoff(platform)
    this.done = this.run().finally(() => {
      this.backoff.close()
      sessionState.explain(null, true)
    })
  }

  /** Stops retrying; resolves when the last attempt is over. A late one would take the cookie of the next login. */
  async callOff(): Promise<void> {
    this.calledOff.abort()
    await this.done.catch(() => {})
  }

  private async run(): Promise<void> {
    const { signal } = this.calledOff
    while (!signal.aborted && (await this.isStillToDo())) {
      try {
        await this.tryOnce()
        break
      } catch (error) {
        await this.scheduleRetry(error, signal)
      }
    }
  }

  private async isStillToDo(): Promise<unknown> {
    const { home, unfinished } = this
    // The cookie belongs to the last login, in any tab; a stored session is always the same one.
    return home.source !== 'main' || unfinished.isUnnoted || home.left().catch(() => true)
  }

  /** Without a live token it gets a new one to log out with; if there is none to be had, the session is over. */
  private async tryOnce(): Promise<void> {
    const { session, sid } = this.unfinished
    const renewed = this.token ?? (session && (await this.calls.refresh(session)))
    const isOver = typeof renewed === 'string'
    this.token = isOver ? null : renewed
    const isThisSession = this.token && (!sid || this.token.caller.sid === sid)
    if (isThisSession) await this.calls.logout(this.token as AccessToken)
    // The service knows; a note that stays in locked storage is settled by the next page.
    await this.home.settle(sid, isOver).catch(() => {})
  }

  private async scheduleRetry(error: unknown, signal: AbortSignal): Promise<void> {
    const isStale = (error as Partial<MainstayError>).status === 401
    if (isStale) this.token = null
    else if (!isTransient(error)) throw error
    if (isStale && !this.backoff.failures) {
      this.backoff.failures = 1
      return
    }
    this.backoff.fail(error)
    this.sessionState.explain(await this.calls.reasonFor(error), true)
    await this.backoff.wait(signal)
  }
}

/** Every logout that the service has not heard of yet. */
export class Logouts {
  /** By session; those of the main site share one cookie. */
  private readonly underWay = new Map<string | null, Logout>()

  constructor(
    private readonly calls: SessionCalls,
    private readonly home: SessionHome,
    private readonly platform: Platform,
    private readonly keeper: TokenKeeper,
    private readonly sessionState: SessionState,
  ) {}

  /** Logs out here and in the other tabs at once; resolves when the service knows. */
  async begin(): Promise<void> {
    const { keeper, home } = this
    const token = keeper.live()
    // Locked storage must not keep a user from logging out.
    const session = await home.presented().catch(() => null)
    const sid = keeper.sid() ?? session?.sid ?? null
    keeper.end(sid, 'logout')
    const isUnnoted = (await home.leave(sid).catch(() => true)) === true
    await this.tell({ token, session, sid, isUnnoted })
  }

  /**
   * Finishes a logout that the service has not heard of yet; otherwise its session would be resumed. Returns
   * whether there is one, without waiting for it.
   */
  async finish(): Promise<boolean> {
    const session = await this.home.left().catch(() => null)
    if (!session) return false
    this.keeper.end(session.sid, 'logout')
    this.tell({ token: null, session, sid: session.sid }).catch(() => {})
    return true
  }

  /** Stops all retries; resolves when the last attempts are over. */
  async callOff(): Promise<void> {
    await Promise.all([...this.underWay.values()].map(logout => logout.callOff()))
  }

  private tell(unfinished: UnfinishedLogout): Promise<void> {
    const { underWay } = this
    const known = underWay.get(unfinished.sid)
    if (known) return known.done
    const logout = new Logout(this.calls, this.home, this.platform, unfinished, this.sessionState)
    underWay.set(unfinished.sid, logout)
    // Its first attempt is made nevertheless.
    if (this.keeper.isClosed) void logout.callOff()
    return logout.done.finally(() => underWay.delete(unfinished.sid))
  }
}
