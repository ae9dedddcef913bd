import type { Settings } from '../../config/settings.js'
import type { Source } from '../../permissions/permissions.js'
import type { User } from '../../users/user.js'

/** Where a login takes place: the kind of session, and the page it comes from (null outside browsers). */
export interface LoginPlace {
  readonly source: Source
  readonly origin: string | null
}

/**
 * Whether the user may log in there. A user of some satellites must come from one of them, so not from the
 * main site and not without an Origin, like the mobile app.
 */
export function isInScope(
  { satellites }: Pick<User, 'satellites'>,
  { origin }: Pick<LoginPlace, 'origin'>,
): boolean {
  return satellites === null || (origin !== null && satellites.includes(origin))
}

/**
 * Whether an owner is barred from entering a password there: anywhere but on the main site, if the setting
 * says so. Without an Origin too, because a customer's server could pass on what was typed on its page.
 */
export function isBarredOwner(
  { role }: Pick<User, 'role'>,
  { source, origin }: LoginPlace,
  { mayOwnersUseSatellites, mainOrigin }: Settings,
): boolean {
  return role === 'owner' && source === 'satellite' && origin !== mainOrigin && !mayOwnersUseSatellites
}
