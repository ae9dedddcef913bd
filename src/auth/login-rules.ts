import type { User } from '../accounts/user.js'
import type { Settings } from '../config/settings.js'
import type { Source } from '../permissions/permissions.js'

/** What a login asks for: the kind of session, and the page it comes from (null outside browsers). */
export interface LoginPlace {
  readonly source: Source
  readonly origin: string | null
}

/**
 * Whether the user may log in there. Who is invited to some satellites needs to come from one of them, so neither from the
 * main site nor without an Origin, as in the mobile app.
 */
export function isInScope(
  { satellites }: Pick<User, 'satellites'>,
  { origin }: Pick<LoginPlace, 'origin'>,
): boolean {
  return satellites === null || (origin !== null && satellites.includes(origin))
}

/**
 * Whether an owner may not type a password there: anywhere but on the main site, where the setting says so. Without an
 * Origin too: a customer's server could pass on what was typed on its page.
 */
export function isBarredOwner(
  { role }: Pick<User, 'role'>,
  { source, origin }: LoginPlace,
  { mayOwnersUseSatellites, mainOrigin }: Settings,
): boolean {
  return role === 'owner' && source === 'satellite' && origin !== mainOrigin && !mayOwnersUseSatellites
}
