import type { Settings } from '../config/settings.js'
import type { Permissions } from '../permissions/permissions.js'

/** How people log in on a satellite: with their password typed there, through the main site, or either. */
export const LOGIN_MODES = ['password', 'handoff', 'both'] as const
export type LoginMode = (typeof LOGIN_MODES)[number]

export const SECOND_FACTOR_PLACES = ['handoff', 'allowed'] as const
/** Whether second factors may be typed on a satellite's pages, or people are handed on to it. */
export type SecondFactorPlace = (typeof SECOND_FACTOR_PLACES)[number]

/** A site that may use this API now, as requests see it. */
export interface Satellite {
  /** A UUID; of those that ALLOWED_ORIGINS lists it is the origin itself. */
  readonly id: string
  /** With an asterisk for previews. */
  readonly origin: string
  /** Whose users may log in there; null means everybody's. */
  readonly accountId: string | null
  readonly kind: 'production' | 'preview'
  /** The most that its sessions may do. */
  readonly ceiling: Permissions
  /** `handoff` too where the account requires it of everybody. */
  readonly loginMode: LoginMode
  /** Whether second factors may be typed there, or only on the main site. */
  readonly secondFactor: SecondFactorPlace
  /** How long its sessions live; null is SESSION_TTL_SECONDS. */
  readonly sessionSeconds: number | null
  /**
   * Sessions that began there earlier may have been another account's. Milliseconds since 1970, in whole
   * seconds as the times of sessions are.
   */
  readonly activeSince: number
}

/** What the operator lists for everybody; none where only registered satellites count. */
export function listedOrigins({
  isRegistryOnly,
  satelliteOrigins,
}: Pick<Settings, 'isRegistryOnly' | 'satelliteOrigins'>): ReadonlySet<string> {
  return isRegistryOnly ? new Set() : satelliteOrigins
}

/** Of those in ALLOWED_ORIGINS. */
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
    activeSince: 0,
  }
}

/**
 * Whether a user may use it: of its own account, or of any when it has none, and invited there. `satellites`
 * null means everywhere, except in previews, which are for those who are named.
 */
export function admits(
  satellite: Pick<Satellite, 'kind' | 'origin'> & { readonly accountId: string | null },
  { accountId, satellites }: { readonly accountId: string; readonly satellites: readonly string[] | null },
): boolean {
  if (satellite.accountId !== null && satellite.accountId !== accountId) return false
  return satellites === null ? satellite.kind === 'production' : satellites.includes(satellite.origin)
}
