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
 * Why somebody is no longer logged in. `logout`: they logged out on this page. `logoutElsewhere`: in another
 * tab. `revoked`: the session was ended early, such as from another device, by a manager or by a new
 * password. `expired`: it reached its time limit. `ended`: it is over, and the service cannot tell (any more)
 * for which of these reasons.
 */
export type LogoutCause = 'logout' | 'logoutElsewhere' | 'revoked' | 'expired' | 'ended'

/**
 * Why a listener is called. `first`: it has just become known who is logged in; this is every listener's
 * first call, however late it subscribes. `login`: somebody has logged in, or somebody else. `logout`: nobody
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
