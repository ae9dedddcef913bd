import type { users } from '../database/schema/accounts.js'

export type Purpose =
  | 'sign-up'
  | 'password-reset'
  | 'invitation'
  | 'email-change'
  | 'email-undo'
  | 'not-me'
  | 'transfer-accept'
  | 'transfer-stop'
  | 'handoff'
  | 'handoff-used'
  | 'second-factor'
  | 'passkey-used'
  | 'unstamped-code'
  | 'factor-reset'

/** What a token is for, and who it concerns. */
export interface OneTimeToken {
  readonly id: string
  readonly purpose: Purpose
  /**
   * The address it was mailed to: anybody who has the token can read that mailbox. The user's own address for
   * a token that was not mailed.
   */
  readonly email: string
  readonly userId: string | null
  readonly accountId: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** A token, and the user it concerns, as they are now. */
export interface TriedToken {
  readonly token: OneTimeToken
  readonly user: typeof users.$inferSelect
}

export interface NewToken {
  readonly purpose: Purpose
  readonly email: string
  readonly userId?: string
  readonly accountId?: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly lifetimeSeconds: number
}
