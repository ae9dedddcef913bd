import type { Permissions } from '@mainstay-auth/client'

/** What the service answers, as docs/openapi.json describes it. Times are ISO 8601. */
export interface Profile {
  readonly userId: string
  readonly accountId: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member'
  readonly granted: Permissions
  readonly satellites: readonly string[] | null
  readonly createdAt: string
}

/** A transfer of the account that is under way. */
export interface Transfer {
  /** Who is to be the owner. */
  readonly userId: string
  readonly requestedAt: string
  readonly readyAt: string
  readonly expiresAt: string
  readonly acceptedAt: string | null
}

export interface Account {
  readonly accountId: string
  readonly name: string | null
  readonly createdAt: string
  readonly deleteAt: string | null
  readonly transfer: Transfer | null
}

export interface Person {
  readonly userId: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member'
  readonly permissions: Permissions
  /** Null: at all of them. */
  readonly satellites: readonly string[] | null
  readonly isDisabled: boolean
  readonly createdAt: string
}

export interface Invitation {
  readonly id: string
  readonly email: string
  readonly expiresAt: string
  readonly permissions: Permissions
  readonly satellites: readonly string[] | null
}

/** Of somebody who has a password now. */
export interface LoginSites {
  /** Where they log in; null: everywhere. */
  readonly satellites: readonly string[] | null
}

export interface Login {
  readonly at: string
  readonly outcome: 'ok' | 'failed'
  readonly origin: string | null
  readonly ip: string | null
  readonly device: string
}

export interface AuditEntry {
  readonly id: number
  readonly at: string
  readonly action: string
  readonly outcome: 'ok' | 'failed' | 'refused'
  /** Whom it concerns; `detail.by` is who did it, where that is another. */
  readonly userId: string | null
  readonly email: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly ip: string | null
  readonly device: string | null
}
