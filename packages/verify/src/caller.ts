import type { Authentication } from './auth-methods.js'

/**
 * Where a session is used: `main` is the main site, with a cookie; `satellite` everything else, apps
 * included.
 */
export const SOURCES = ['main', 'satellite'] as const
export type Source = (typeof SOURCES)[number]

export const PERMISSIONS = [
  'payments',
  'accountSettings',
  'teamManagement',
  'dataEntry',
  'viewReports',
] as const
export type Permission = (typeof PERMISSIONS)[number]
export type Permissions = Readonly<Record<Permission, boolean>>

/**
 * Who is calling, by a token whose signature was checked. The session may have ended since: a token lives out
 * its minutes.
 */
export interface Caller extends Authentication {
  readonly userId: string
  readonly accountId: string
  /** The public handle of the session; safe to log. */
  readonly sid: string
  /** A session of a satellite never has more than dataEntry and viewReports. */
  readonly source: Source
  /**
   * Where the session is used: a satellite's id, `main`, or `mobile` for clients without a page (RFC 9068
   * §2.2). Null in tokens of services that do not say so yet.
   */
  readonly clientId: string | null
  /** `payments` is there to be shown: before money moves, the service asks the session store. */
  readonly permissions: Permissions
}
