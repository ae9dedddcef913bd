import {
  PERMISSIONS,
  type Permission,
  type Permissions,
  type Source,
} from '@mainstay-auth/verify/token-rules'

// They are part of tokens, so everything that reads one uses the same lists.
export {
  PERMISSIONS,
  type Permission,
  type Permissions,
  SOURCES,
  type Source,
} from '@mainstay-auth/verify/token-rules'

/** The most that a source may have, whatever its user was granted (specification, "Permissions object"). */
const CEILINGS: Readonly<Record<Source, Permissions>> = {
  main: permissionsOf(PERMISSIONS),
  satellite: permissionsOf(['dataEntry', 'viewReports']),
}

/** The most that sessions of a source may do. */
export function ceilingOf(source: Source): Permissions {
  return CEILINGS[source]
}

/** The five booleans, true for the given permissions. */
export function permissionsOf(granted: readonly Permission[]): Permissions {
  return Object.fromEntries(PERMISSIONS.map(name => [name, granted.includes(name)])) as Record<
    Permission,
    boolean
  >
}

/** What a session of `source` may do when its user was granted `granted`. */
export function effectivePermissions(source: Source, granted: Permissions): Permissions {
  return withinLimit(granted, CEILINGS[source])
}

/** What remains of a grant under a limit; null means no limit. */
export function withinLimit(granted: Permissions, limit: Permissions | null): Permissions {
  const bits = permissionBits(granted)
  return permissionsOfBits(limit === null ? bits : bits & permissionBits(limit))
}

/** What limits a user's grant, whatever site a session is for. */
export interface GrantLimits {
  /** The limit of the account's plan; null means none. */
  readonly entitled: Permissions | null
  /** The satellites where the user may log in; null means everywhere. */
  readonly satellites: readonly string[] | null
  /** Whether they must set up a second factor first; until then they have no permissions. */
  readonly mustEnrol: boolean
}

/**
 * What remains of a grant under its user's limits. Users who are invited to certain satellites only have no
 * more permissions anywhere than satellite sessions have: they log in on the main site only to be handed off
 * to a satellite.
 */
export function withinLimits(granted: Permissions, limits: GrantLimits): Permissions {
  const { entitled, satellites, mustEnrol } = limits
  if (mustEnrol) return permissionsOfBits(0)
  const limited = withinLimit(granted, entitled)
  return satellites === null ? limited : effectivePermissions('satellite', limited)
}

/** One bit per permission, in the order of {@link PERMISSIONS}; stores keep them as one small number. */
export function permissionBits(permissions: Permissions): number {
  return PERMISSIONS.reduce((bits, name, index) => bits | (permissions[name] ? 1 << index : 0), 0)
}

const OF_BITS: readonly Permissions[] = Array.from({ length: 1 << PERMISSIONS.length }, (_, bits) =>
  permissionsOf(PERMISSIONS.filter((_, index) => bits & (1 << index))),
)

/** The inverse of {@link permissionBits}. */
export function permissionsOfBits(bits: number): Permissions {
  return OF_BITS[bits] as Permissions
}

/** Whether an unknown value is exactly the five booleans. */
export function isPermissions(value: unknown): value is Permissions {
  if (typeof value !== 'object' || value === null) return false
  const entries = Object.entries(value)
  return (
    entries.length === PERMISSIONS.length &&
    entries.every(
      ([name, granted]) => PERMISSIONS.includes(name as Permission) && typeof granted === 'boolean',
    )
  )
}
