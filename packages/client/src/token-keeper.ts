import type { SessionCalls } from './calls.js'
import type { Channel, Platform } from './platform.js'
import type { SessionHome } from './session-home.js'
import {
  type AccessToken,
  type LogoutCause,
  readToken,
  type SessionState,
  type WaitReason,
} from './session-state.js'
import { Backoff, isTransient, type Wait } from './waiting.js'

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
  /** A refresh failed: no tab asks again for so long. */
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

/**
 * A tab refreshes when this much of a token's life is left, and a random part of as much again and more: the first to
 * do so serves all the others.
 */
const LEFT_AT_LEAST = 0.05
const LEFT_SPREAD = 0.1
/**
 * After a refusal that is not a logout, such as an origin that was removed from the list, until an operator
 * fixes it.
 */
const AFTER_REFUSAL_MS = 60_000
/** The service may have stamped the use this much later than the client asked for it, and must not be asked too early. */
const IDLE_MARGIN_MS = 30_000
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
  /** When somebody last used the page, or the app called. */
  private usedAt: number
  /** Nobody is there for whom to refresh. */
  private isResting = false
  private readonly stopWatching: (() => void) | null

  constructor(
    name: string,
    private readonly calls: SessionCalls,
    private readonly home: SessionHome,
    private readonly platform: Platform,
    private readonly sessionState: SessionState,
  ) {
    this.backoff = new Backoff(platform)
    this.usedAt = platform.now()
    this.stopWatching = platform.onUse(() => this.noteUse())
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

  /** A call for a token: without a page to watch, all that shows that somebody is there. */
  noteCall(): void {
    if (!this.stopWatching) this.noteUse()
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
    // The cookie's session may have another name, but a user has logged out of it, whatever it is called.
    if (sid || (cause === 'logout' && this.home.source === 'main'))
      this.tabs.tell({ kind: 'ended', sid, cause })
  }

  close(): void {
    this.isClosed = true
    this.callOffNext()
    this.stopWatching?.()
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
    this.isResting = false
    this.backoff.reset()
    const left = LEFT_AT_LEAST + LEFT_SPREAD * this.platform.random()
    const next = token.expiresAt - this.platform.now() - token.lifetimeMs * left
    this.refreshAfter(next, () => this.isWanted(token) || this.rest(token))
    this.decided.abort()
    this.sessionState.change({ status: 'loggedIn', caller: token.caller })
  }

  private drop(cause: LogoutCause | null): void {
    this.token = null
    this.isResting = false
    this.callOffNext()
    this.decided.abort()
    this.sessionState.end(cause)
  }

  /** Refreshes then, unless `isWanted` says that it is not. */
  private refreshAfter(ms: number, isWanted = () => true): void {
    this.callOffNext()
    if (this.isClosed) return
    const work = () => isWanted() && void this.refresh().catch(() => {})
    this.callOffNext = this.platform.after(ms, work, true)
  }

  /**
   * Whether to refresh unasked. Where the session has an idle timeout, a refresh says that somebody uses it: that is so
   * if they did within the last token's life.
   */
  private isWanted({ idleMs, lifetimeMs }: AccessToken): boolean {
    return idleMs === null || this.platform.now() - this.usedAt <= lifetimeMs
  }

  /** Until somebody is there again; or until the session is over, which a page then shows. */
  private rest({ idleMs, expiresAt, lifetimeMs }: AccessToken): false {
    this.isResting = true
    const overAt = expiresAt - lifetimeMs + (idleMs as number) + IDLE_MARGIN_MS
    this.refreshAfter(overAt - this.platform.now())
    return false
  }

  private noteUse(): void {
    this.usedAt = this.platform.now()
    if (!this.isResting) return
    this.isResting = false
    this.refresh().catch(() => {})
  }
}
