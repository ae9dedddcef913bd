import type { Settings } from '../platform/config/settings.js'
import type { Permissions } from '../platform/permissions.js'

/** How people log in on a satellite: with a password typed there, through the main site, or either. */
export const LOGIN_MODES = ['password', 'handoff', 'both'] as const
export type LoginMode = (typeof LOGIN_MODES)[number]

export const SECOND_FACTOR_PLACES = ['handoff', 'allowed'] as const
/** Whether second factors may be typed on a satellite's pages, or people are sent to the main site for them. */
export type SecondFactorPlace = (typeof SECOND_FACTOR_PLACES)[number]

/** A site that may use this API now, as requests see it. */
export interface Satellite {
  /** A UUID; for those that ALLOWED_ORIGINS lists, the origin itself. */
  readonly id: string
  /** For previews, a pattern with an asterisk. */
  readonly origin: string
  /** The account whose users may log in there; null means any account's. */
  readonly accountId: string | null
  readonly kind: 'production' | 'preview'
  /** The maximum permissions of its sessions. */
  readonly ceiling: Permissions
  /** Also `handoff` where the account requires that of all its users. */
  readonly loginMode: LoginMode
  /** Whether second factors may be typed there, or only on the main site. */
  readonly secondFactor: SecondFactorPlace
  /** The lifetime of its sessions; null means SESSION_TTL_SECONDS. */
  readonly sessionSeconds: number | null
  /** Its idle timeout; null sets none. */
  readonly idleSeconds: number | null
  /**
   * Sessions that began there earlier may have been another account's. Milliseconds since 1970, in whole
   * seconds like the times of sessions.
   */
  readonly activeSince: number
}

/** The origins that the operator lists for all accounts; none where only registered satellites count. */
export function listedOrigins({
  isRegistryOnly,
  satelliteOrigins,
}: Pick<Settings, 'isRegistryOnly' | 'satelliteOrigins'>): ReadonlySet<string> {
  return isRegistryOnly ? new Set() : satelliteOrigins
}

/** The satellite for an origin in ALLOWED_ORIGINS. */
export function listedSatellite(origin: string, ceiling: Permissions): Satellite {
  return {
    id: origin,
    origin,
    accountId: null,
    kind: 'production',
    ceiling,
    loginMode: 'both',
    secondFactor: 'handoff',
    sessionSeconds: null,
    idleSeconds: null,
    activeSince: 0,
  }
}

/**
 * Whether a user may use it: it belongs to their account, or to none, and they are invited there.
 * `satellites` null means everywhere except in previews, which need an explicit invitation.
 */
export function allowsUser(
  satellite: Pick<Satellite, 'kind' | 'origin'> & { readonly accountId: string | null },
  { accountId, satellites }: { readonly accountId: string; readonly satellites: readonly string[] | null },
): boolean {
  if (satellite.accountId !== null && satellite.accountId !== accountId) return false
  return satellites === null ? satellite.kind === 'production' : satellites.includes(satellite.origin)
}
