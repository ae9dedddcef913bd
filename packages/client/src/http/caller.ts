/** What a session may do; the service and every backend decide again for themselves. */
export interface Permissions {
  readonly payments: boolean
  readonly accountSettings: boolean
  readonly teamManagement: boolean
  readonly dataEntry: boolean
  readonly viewReports: boolean
}

/** Who the access token says is calling. For display: nothing here has checked a signature. */
export interface Caller {
  readonly userId: string
  readonly accountId: string
  /** The public handle of the session; not a secret. */
  readonly sid: string
  readonly source: 'main' | 'satellite'
  readonly permissions: Permissions
}

/**
 * Why the client is waiting. `network`: nothing answers. `service`: it cannot serve us now. `origin`: it is
 * there, but this page may not read its answers, since its origin is not listed (or a proxy answers in the
 * service's place).
 */
export type WaitReason = 'network' | 'service' | 'origin'

/**
 * Why somebody is logged in no longer. `logout`: they have logged out in this page. `logoutElsewhere`: in another tab.
 * `revoked`: the session was ended before its time, such as from another device, by a manager or with a new password.
 * `expired`: its time is up. `ended`: it is over, and the service cannot tell (any more) which of these it was.
 */
export type LogoutCause = 'logout' | 'logoutElsewhere' | 'revoked' | 'expired' | 'ended'

/**
 * What a listener is called for. `first`: it is known who is logged in; the beginning for every listener, however
 * late it comes. `login`: somebody is, or somebody else. `logout`: nobody is any longer. `permissions`: the same
 * person may do other things. `waiting`: the `reason` to wait is another.
 */
export type ChangeKind = 'first' | 'login' | 'logout' | 'permissions' | 'waiting'

interface Waiting {
  /**
   * There while the client keeps trying: to learn who is logged in (`unknown`), to get the next token
   * (`loggedIn`), or to tell the service of a logout (`loggedOut`).
   */
  readonly reason?: WaitReason
}

/**
 * `unknown` until the service was asked for the first time: a page shows neither a login form nor its
 * content.
 */
export type State =
  | ({ readonly status: 'unknown'; readonly caller: null } & Waiting)
  | ({ readonly status: 'loggedIn'; readonly caller: Caller } & Waiting)
  | ({ readonly status: 'loggedOut'; readonly caller: null; readonly cause?: LogoutCause } & Waiting)

export const UNKNOWN: State = { status: 'unknown', caller: null }
export const LOGGED_OUT: State = { status: 'loggedOut', caller: null }
