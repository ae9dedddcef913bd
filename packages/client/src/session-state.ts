/** What a session may do; the service and every backend check again for themselves. */
export interface Permissions {
  readonly payments: boolean
  readonly accountSettings: boolean
  readonly teamManagement: boolean
  readonly dataEntry: boolean
  readonly viewReports: boolean
}

/** Who is calling, according to the access token. For display only: nothing here has checked a signature. */
export interface Caller {
  readonly userId: string
  readonly accountId: string
  /** The public handle of the session; not a secret. */
  readonly sid: string
  readonly source: 'main' | 'satellite'
  readonly permissions: Permissions
}

/**
 * Why the client is waiting. `network`: nothing answers. `service`: it cannot serve us now. `origin`: it
 * answers, but this page may not read its answers, because its origin is not listed (or a proxy answers in
 * the service's place).
 */
export type WaitReason = 'network' | 'service' | 'origin'

/**
 * Why a user is no longer logged in. `logout`: they logged out on this page. `logoutElsewhere`: in another
 * tab. `revoked`: the session was ended early, such as from another device, by a manager or by a new
 * password. `expired`: it reached its time limit. `idle`: it was not used for too long. `ended`: it is over, and the
 * service cannot tell (any more) for which of these reasons.
 */
export type LogoutCause = 'logout' | 'logoutElsewhere' | 'revoked' | 'expired' | 'idle' | 'ended'

/**
 * Why a listener is called. `first`: it has just become known who is logged in; this is every listener's
 * first call, however late it subscribes. `login`: a user has logged in, or another one. `logout`: no user
 * is logged in any more. `permissions`: the same person's permissions have changed. `waiting`: the `reason`
 * for waiting has changed.
 */
export type ChangeKind = 'first' | 'login' | 'logout' | 'permissions' | 'waiting'

interface Waiting {
  /**
   * Present while the client keeps trying: to find out who is logged in (`unknown`), to get the next token
   * (`loggedIn`), or to tell the service about a logout (`loggedOut`).
   */
  readonly reason?: WaitReason
}

/** `unknown` until the service has answered for the first time: until then show neither a login form nor content. */
export type State =
  | ({ readonly status: 'unknown'; readonly caller: null } & Waiting)
  | ({ readonly status: 'loggedIn'; readonly caller: Caller } & Waiting)
  | ({ readonly status: 'loggedOut'; readonly caller: null; readonly cause?: LogoutCause } & Waiting)

export interface AccessToken {
  readonly text: string
  readonly caller: Caller
  /** By the service's clock; only ever compared with that of another token. */
  readonly issuedAtSeconds: number
  readonly lifetimeMs: number
  /** After how long without a refresh the session is over; null where that does not end it. */
  readonly idleMs: number | null
  /** By this device's monotonic clock. */
  readonly expiresAt: number
}

/**
 * Reads a token that was requested at `requestedAt` of the monotonic clock. Its lifetime is the difference of its own
 * two times, so a device whose clock is wrong by a year works as well as any other. Throws when it is not a
 * token.
 */
export function readToken(text: string, requestedAt: number): AccessToken {
  const payload = (text.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/')
  const { userId, accountId, sid, source, permissions, iat, exp, idle_timeout } = JSON.parse(atob(payload))
  const lifetimeMs = (exp - iat) * 1000
  if (!(lifetimeMs > 0 && sid)) throw new TypeError('Not an access token')
  return {
    text,
    caller: { userId, accountId, sid, source, permissions },
    issuedAtSeconds: iat,
    lifetimeMs,
    idleMs: idle_timeout > 0 ? idle_timeout * 1000 : null,
    expiresAt: requestedAt + lifetimeMs,
  }
}

export type Listener = (state: State, kind: ChangeKind) => void

/** Who is logged in, as far as is known, and who wants to hear of changes. */
export class SessionState {
  current: State = { status: 'unknown', caller: null }
  private readonly listeners = new Set<Listener>()

  /**
   * Calls the listener soon, if the state is known by then, and after every change. Returns a function that
   * unsubscribes.
   */
  listen(listener: Listener): () => void {
    // A wrapper of its own, because the same function may subscribe twice.
    const own: Listener = (state, kind) => listener(state, kind)
    this.listeners.add(own)
    if (this.current.status !== 'unknown')
      queueMicrotask(() => this.listeners.has(own) && callSafely(own, this.current, 'first'))
    return () => this.listeners.delete(own)
  }

  /** A refresh that brought nothing new is no change: pages would re-render for nothing. */
  change(state: State): void {
    if (JSON.stringify(state) === JSON.stringify(this.current)) return
    const kind = kindOf(this.current, state)
    this.current = state
    for (const listener of this.listeners) callSafely(listener, state, kind)
  }

  /** No user is logged in any more; the first cause stays. */
  end(cause: LogoutCause | null): void {
    if (this.current.status !== 'loggedOut')
      this.change({ status: 'loggedOut', caller: null, ...(cause && { cause }) })
  }

  /**
   * Says why a refresh that is being retried has not succeeded yet, or a logout; null once it has. A
   * logged-out user waits only for the logout; no other waits for one.
   */
  explain(reason: WaitReason | null, isOfLogout = false): void {
    if ((this.current.status === 'loggedOut') !== isOfLogout) return
    const { reason: _, ...state } = this.current
    this.change({ ...state, ...(reason && { reason }) } as State)
  }

  close(): void {
    this.listeners.clear()
  }
}

function kindOf(before: State, now: State): ChangeKind {
  if (before.status === 'unknown' && now.status !== 'unknown') return 'first'
  if (before.caller?.sid !== now.caller?.sid) return now.caller ? 'login' : 'logout'
  return before.reason === now.reason ? 'permissions' : 'waiting'
}

/** An error in a listener is for its page to see; it must not disturb the session. */
function callSafely(listener: Listener, state: State, kind: ChangeKind): void {
  try {
    listener(state, kind)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
