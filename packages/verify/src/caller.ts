import type { Authentication } from './auth-methods.js'

/**
 * Where a session is used: `main` is the main site, with a cookie; `satellite` is everything else, including
 * apps.
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
 * Who is calling, from a token whose signature was verified. The session may have ended since: a token stays
 * valid until it expires.
 */
export interface Caller extends Authentication {
  readonly userId: string
  readonly accountId: string
  /** The public handle of the session; safe to log. */
  readonly sid: string
  /** A satellite session never has more than dataEntry and viewReports. */
  readonly source: Source
  /**
   * Where the session is used: a satellite's id, `main`, or `mobile` for clients without a page (RFC 9068
   * §2.2). Null in tokens from services that do not state it yet.
   */
  readonly clientId: string | null
  /** `payments` is for display: before money moves, the service checks with the session store. */
  readonly permissions: Permissions
}
