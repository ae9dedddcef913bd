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
  /** Who has to log in through the main site. */
  readonly handoffRequired: 'none' | 'owners' | 'everyone'
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
  readonly hasSecondFactor: boolean
  /** They are late, and can do nothing until they have one. */
  readonly mustEnrol: boolean
  /** When a reset of their second factors happens; null when none is under way. */
  readonly factorResetAt: string | null
  /** Null: not within 400 days. */
  readonly lastLoginAt: string | null
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

/** How a satellite looks in its mails and where people log in for it. */
export interface Branding {
  readonly name: string
  readonly logoUrl: string | null
  /** Of buttons, such as `#1d4ed8`. */
  readonly accent: string
  readonly background: string
}

/** What shows that a satellite's host is the account's own, in one of two places. */
export interface Proof {
  readonly dns: { readonly name: string; readonly value: string }
  /** Null for previews. */
  readonly file: { readonly url: string; readonly content: string } | null
  /** Until when it counts for a satellite that waits for it. */
  readonly expiresAt: string
  readonly provenAt: string | null
  /** Where it was found; `operator`: somebody vouches for it, and nothing is looked up. */
  readonly method: 'dns' | 'file' | 'operator' | null
  /** Since when it has been missing; null when it is not. */
  readonly failingSince: string | null
  /** When the satellite is suspended if it stays missing. */
  readonly suspendAt: string | null
}

export interface Satellite {
  readonly id: string
  /** With an asterisk for previews. */
  readonly origin: string
  readonly name: string
  readonly kind: 'production' | 'preview'
  readonly state: 'pending' | 'active' | 'suspended'
  /** Null unless it is suspended. */
  readonly suspendedBy: 'account' | 'check' | 'operator' | null
  readonly ceiling: Pick<Permissions, 'dataEntry' | 'viewReports'>
  readonly loginMode: 'password' | 'handoff' | 'both'
  /** Where those who have a second factor log in; `allowed`: there, too. */
  readonly secondFactor: 'handoff' | 'allowed'
  /** Null: as long as everywhere. */
  readonly sessionSeconds: number | null
  readonly branding: Branding | null
  readonly createdAt: string
  readonly proof: Proof
}

/** A satellite that members can be given access to. */
export type TeamSatellite = Pick<Satellite, 'origin' | 'name' | 'kind' | 'state'>

/** A satellite that the service has confirmed. */
export interface ConfirmedSatellite {
  readonly origin: string
  /** Whom it expects the answer from. */
  readonly iss: string
}

/** One that asks for whoever is logged in here. */
export interface HandOffOffer extends ConfirmedSatellite {
  readonly name: string
  readonly branding: Branding | null
  readonly access: 'allowed' | 'not_invited' | 'suspended' | 'access_denied'
  /** Whether they have been there in this way before. */
  readonly isKnown: boolean
  /** Of who is logged in here. */
  readonly email: string
}

/** What somebody has besides a password, and what their account requires. */
export interface SecondFactor {
  readonly totp: { readonly confirmedAt: string } | null
  readonly passkeys: number
  readonly recoveryCodesLeft: number
  readonly hasPassword: boolean
  readonly required: boolean
  /** When it is required from; null where it is not. */
  readonly requiredFrom: string | null
  /** They are late, and can do nothing until they have one. */
  readonly mustEnrol: boolean
}

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly isBackedUp: boolean
  readonly isBackupEligible: boolean
}

export interface RememberedDevice {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string
  readonly isCurrent: boolean
}

/** Recovery codes are shown when they are made and never again; null when there were some already. */
export interface NewRecoveryCodes {
  readonly recoveryCodes: readonly string[] | null
}

/** Who of the account must have a second factor. */
export interface SecondFactorPolicy {
  readonly required: 'off' | 'payments' | 'managers' | 'everyone'
  readonly requiredFrom: string | null
  /** How recent a second factor has to be for payments; null: none is needed. */
  readonly paymentStepUpMinutes: number | null
  readonly covered: number
  /** Of those who are covered. */
  readonly enrolled: number
}

export interface Invoice {
  readonly id: string
  readonly number: string | null
  readonly createdAt: string
  /** In the currency's smallest unit; negative for a credit. */
  readonly amount: number
  readonly currency: string
  readonly status: 'paid' | 'open' | 'void' | 'uncollectible'
  /** The provider's page of it. */
  readonly url: string | null
  readonly pdfUrl: string | null
}
