import { PERMISSIONS, type Permissions, permissionsOf } from '../permissions/permissions.js'
import type { Email } from './email.js'

export type Role = 'owner' | 'member'

/** Who logs in. */
export interface User {
  readonly id: string
  readonly accountId: string
  readonly email: Email
  readonly name: string | null
  readonly role: Role
  readonly granted: Permissions
  /** The limit by what the account pays for; null: none. Only what is in the database has it. */
  readonly entitled: Permissions | null
  /** Origins that the user may log in at; null means all. */
  readonly satellites: readonly string[] | null
  readonly passwordHash: string | null
  readonly disabledAt: Date | null
  readonly createdAt: Date
}

/** Before they are in an account, which is what entitles. */
export type NewUser = Omit<User, 'entitled'>

/** An owner is granted everything; a member dataEntry and viewReports until the owner gives more. */
export function initialGrant(role: Role): Permissions {
  return permissionsOf(role === 'owner' ? PERMISSIONS : ['dataEntry', 'viewReports'])
}
