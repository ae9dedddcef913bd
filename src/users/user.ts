import { PERMISSIONS, type Permissions, permissionsOf, withinLimits } from '../platform/permissions.js'
import type { Email } from './email.js'

export type Role = 'owner' | 'member'

/** What an operator has disabled, only an operator can enable. */
export type DisabledBy = 'account' | 'operator'

/** A person who can log in. */
export interface User {
  readonly id: string
  readonly accountId: string
  readonly email: Email
  readonly name: string | null
  /** The language of mails, as a BCP 47 tag; null until a login reveals it. */
  readonly language: string | null
  readonly role: Role
  readonly granted: Permissions
  /** Origins that the user may log in at; null means all. */
  readonly satellites: readonly string[] | null
  readonly passwordHash: string | null
  /** Whether they have a confirmed TOTP secret or a passkey: then a password alone does not log them in. */
  readonly hasSecondFactor: boolean
  /** Whether their account requires a second factor that they do not have: until then they have no permissions. */
  readonly mustEnrol: boolean
  readonly disabledAt: Date | null
  /** Null for users who are not disabled. */
  readonly disabledBy: DisabledBy | null
  readonly createdAt: Date
  /** The userId of the user who invited them, who may be gone; null for users who came otherwise. */
  readonly invitedBy: string | null
  /** Null for users who have never logged in. */
  readonly lastLoginAt: Date | null
}

/** A user to be added. */
export type NewUser = Omit<
  User,
  | 'hasSecondFactor'
  | 'mustEnrol'
  | 'disabledAt'
  | 'disabledBy'
  | 'createdAt'
  | 'language'
  | 'invitedBy'
  | 'lastLoginAt'
> & { readonly language?: string | null; readonly invitedBy?: string }

/** A user with the limit of their account's plan and its idle timeout; null means none. */
export interface EntitledUser extends User {
  readonly entitled: Permissions | null
  readonly accountIdleSeconds: number | null
}

/** What the user may do now: what they were granted, within the limits of plan, satellites and enrolment. */
export function effectiveGrant(user: EntitledUser): Permissions {
  return withinLimits(user.granted, user)
}

export function isDisabledByOperator({ disabledBy }: User): boolean {
  return disabledBy === 'operator'
}

/** An owner is granted everything; a member dataEntry and viewReports until they are given more. */
export function initialGrant(role: Role): Permissions {
  return permissionsOf(role === 'owner' ? PERMISSIONS : ['dataEntry', 'viewReports'])
}
