import type { Platform } from '../platform.js'
import type { SessionHome } from '../tokens/session-home.js'
import type { SessionState } from '../tokens/session-state.js'
import type { TokenKeeper } from '../tokens/token-keeper.js'
import type { SessionCalls } from './calls.js'
import { Logout, type UnfinishedLogout } from './logout.js'

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
    // Locked storage must not keep anybody from logging out.
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
