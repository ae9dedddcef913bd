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

/** `unknown` until the service was asked for the first time: a page shows neither a login form nor its content. */
export type State =
  | { readonly status: 'unknown'; readonly caller: null }
  | { readonly status: 'loggedIn'; readonly caller: Caller }
  | { readonly status: 'loggedOut'; readonly caller: null }

export const UNKNOWN: State = { status: 'unknown', caller: null }
export const LOGGED_OUT: State = { status: 'loggedOut', caller: null }
