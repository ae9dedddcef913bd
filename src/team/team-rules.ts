import { ApiError } from '../errors/api-error.js'
import { PERMISSIONS, type Permission, type Permissions } from '../permissions/permissions.js'
import type { User } from '../users/user.js'

/** Whoever has one of these can spend the account's money, or make others who can. */
const NEEDS_REAUTHENTICATION: readonly Permission[] = ['payments', 'teamManagement']

type Scope = User['satellites']

/** Throws `OWN_RIGHTS` (403) for changes of oneself. */
export function requireSomebodyElse(manager: User, member: User): void {
  if (manager.id === member.id) throw new ApiError('OWN_RIGHTS')
}

/** Throws `LAST_OWNER` (409) for changes of the owner: an account has one, until it is transferred. */
export function requireNotOwner(member: User): void {
  if (member.role === 'owner') throw new ApiError('LAST_OWNER')
}

/** What `wanted` adds to `had`; taking away adds nothing. */
export function newlyGranted(had: Permissions | null, wanted: Permissions): Permission[] {
  return PERMISSIONS.filter(name => wanted[name] && !had?.[name])
}

/** Throws `OWN_RIGHTS` (403) unless the manager has everything that is given. */
export function requireCanGrant(manager: User, given: readonly Permission[]): void {
  if (!given.every(name => manager.granted[name])) throw new ApiError('OWN_RIGHTS')
}

export function needsReauthentication(given: readonly Permission[]): boolean {
  return given.some(name => NEEDS_REAUTHENTICATION.includes(name))
}

/**
 * Throws `OWN_RIGHTS` (403) when `wanted` opens a site that was closed to the member and is closed to the
 * manager too.
 */
export function requireCanOpen(manager: User, had: Scope | 'nothing', wanted: Scope): void {
  if (manager.satellites === null || had === null) return
  const open = [...manager.satellites, ...(had === 'nothing' ? [] : had)]
  if (!wanted?.every(origin => open.includes(origin))) throw new ApiError('OWN_RIGHTS')
}
