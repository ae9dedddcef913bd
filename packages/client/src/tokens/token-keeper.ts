import type { LogoutCause } from '../http/caller.js'
import type { SessionCalls } from '../http/calls.js'
import type { Platform } from '../platform.js'
import { type AccessToken, readToken } from './access-token.js'
import type { SessionHome } from './session-home.js'
import type { SessionState } from './session-state.js'
import { type Message, Tabs } from './tabs.js'
import { Backoff, isTransient } from './waiting.js'

/**
 * A tab refreshes when this much of a token's life is left, and a random part of as much again and more: the first to
 * do so serves all the others.
 */
const LEFT_AT_LEAST = 0.05
const LEFT_SPREAD = 0.1
/**
 * After a refusal that is not a logout, such as an origin that was removed from the list, until somebody
 * fixes it.
 */
const AFTER_REFUSAL_MS = 60_000
/** Another browser process may see a stored value only after a message that was sent later. */
const STORAGE_LAG_MS = 1_000

/** Holds the access token, in memory only, and keeps it fresh. */
export class TokenKeeper {
  private token: AccessToken | null = null
  /** Aborted when a token or a logout arrives, from any source: a refresh under way then no longer counts. */
  private decided = new AbortController()
  private refreshing: Promise<void> | null = null
  private callOffNext = () => {}
  isClosed = false
  private readonly backoff: Backoff
  /** Sessions that are over: a token for one of them may still be on its way. */
  private readonly endedSids = new Set<string>()
  private readonly tabs: Tabs

  constructor(
    name: string,
    private readonly calls: SessionCalls,
    private readonly home: SessionHome,
    private readonly platform: Platform,
    private readonly sessionState: SessionState,
  ) {
    this.backoff = new Backoff(platform)
    this.tabs = new Tabs(name, platform, message => void this.receive(message).catch(() => {}))
  }

  /** The token, unless it has expired. */
  live(): AccessToken | null {
    return this.token && this.platform.now() < this.token.expiresAt ? this.token : null
  }

  /** The session of the token, expired or not. */
  sid(): string | null {
    return this.token?.caller.sid ?? null
  }

  /**
   * Resolves when there is a new token or a logout; waits as long as an outage lasts. Concurrent calls share
   * one refresh. Rejects only for a refusal that is neither, and that waiting cannot fix.
   */
  refresh(): Promise<void> {
    this.refreshing ??= this.renew().finally(() => {
      this.refreshing = null
    })
    return this.refreshing
  }

  /** Takes a token that this tab was given, and passes it on to the others. */
  take(token: AccessToken): void {
    if (this.endedSids.has(token.caller.sid)) {
      this.drop('logout')
      return
    }
    this.adopt(token)
    const age = this.platform.now() + token.lifetimeMs - token.expiresAt
    this.tabs.tell({ kind: 'token', accessToken: token.text, bornAt: this.platform.deviceTime() - age })
  }

  /** Logs out here and in the other tabs with this session; `sid` is null when it is not known which. */
  end(sid: string | null, cause: LogoutCause | null): void {
    this.drop(cause)
    if (sid) this.endedSids.add(sid)
    // The cookie's session may have another name, but somebody has logged out of it, whatever it is called.
    if (sid || (cause === 'logout' && this.home.source === 'main'))
      this.tabs.tell({ kind: 'ended', sid, cause })
  }

  close(): void {
    this.isClosed = true
    this.callOffNext()
    this.decided.abort()
    this.backoff.close()
    this.tabs.close()
  }

  private async renew(): Promise<void> {
    this.decided = new AbortController()
    const { signal } = this.decided
    try {
      while (!signal.aborted && !this.isClosed) {
        await this.backoff.wait(signal)
        await this.tabs.inTurn(() => this.ask(signal), signal)
      }
    } catch (refusal) {
      this.refreshAfter(AFTER_REFUSAL_MS)
      throw refusal
    }
  }

  private async ask(decided: AbortSignal): Promise<void> {
    if (decided.aborted || !this.backoff.isOver) return
    try {
      const session = await this.home.presented()
      const answer = session && (await this.calls.refresh(session))
      if (decided.aborted) return
      if (answer && typeof answer === 'object') return this.take(answer)
      const cause = (await this.home.isSettled()) ? null : answer
      if (decided.aborted) return
      const sid = session && (session.sid ?? this.sid())
      this.end(sid, cause ?? (sid ? 'ended' : null))
      if (answer) await this.home.forget(sid, true)
    } catch (error) {
      if (!decided.aborted) await this.fail(error, decided)
    }
  }

  /** Postpones the next attempt; throws a refusal that waiting cannot fix. */
  private async fail(error: unknown, decided: AbortSignal): Promise<void> {
    const wait = this.backoff.fail(error)
    const reason = await this.calls.reasonFor(error)
    if (decided.aborted) return
    this.sessionState.explain(reason)
    if (!isTransient(error)) throw error
    this.tabs.tell({ kind: 'wait', ...wait, reason, bornAt: this.platform.deviceTime() })
  }

  private async receive(message: Message): Promise<void> {
    // A tab with an older version does not say when it began to wait.
    const age = Math.max(0, this.platform.deviceTime() - (message.bornAt as number)) || 0
    if (message.kind === 'wait') {
      this.backoff.follow(message, age)
      // With a live token it waits for nothing.
      if (!this.live()) this.sessionState.explain(message.reason)
    } else if (message.kind === 'ended') {
      const { sid, cause } = message
      if (sid) this.endedSids.add(sid)
      if (!sid || this.sid() === sid) this.drop(cause === 'logout' ? 'logoutElsewhere' : cause)
      if (sid) await this.home.forget(sid)
    } else {
      const token = readToken(message.accessToken, this.platform.now() - age)
      const { sid } = token.caller
      if (!(await this.home.isOwn(sid)))
        await new Promise<void>(done => this.platform.after(STORAGE_LAG_MS, done))
      if ((await this.home.isOwn(sid)) && this.isNews(token)) this.adopt(token)
    }
  }

  private isNews({ caller, expiresAt, issuedAtSeconds }: AccessToken): boolean {
    const isAsNew = issuedAtSeconds >= (this.token?.issuedAtSeconds ?? 0)
    return isAsNew && expiresAt > this.platform.now() && !this.endedSids.has(caller.sid)
  }

  private adopt(token: AccessToken): void {
    this.token = token
    this.backoff.reset()
    const left = LEFT_AT_LEAST + LEFT_SPREAD * this.platform.random()
    this.refreshAfter(token.expiresAt - this.platform.now() - token.lifetimeMs * left)
    this.decided.abort()
    this.sessionState.change({ status: 'loggedIn', caller: token.caller })
  }

  private drop(cause: LogoutCause | null): void {
    this.token = null
    this.callOffNext()
    this.decided.abort()
    this.sessionState.end(cause)
  }

  private refreshAfter(ms: number): void {
    this.callOffNext()
    if (this.isClosed) return
    this.callOffNext = this.platform.after(ms, () => void this.refresh().catch(() => {}), true)
  }
}
