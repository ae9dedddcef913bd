import { errorOf, type Permissions } from '@mainstay-auth/client'

/** The response of the console's own routes to a read. Throws a MainstayError for a refusal. */
export function ask<T>(path: string): Promise<T> {
  return call('GET', path) as Promise<T>
}

/** Changes something. Throws like {@link ask}. */
export function tell<T = void>(path: string, body: object): Promise<T> {
  return call('POST', path, body) as Promise<T>
}

const listeners = new Set<() => void>()
/** The login is the same in all tabs. */
const tabs = new BroadcastChannel('login')
tabs.addEventListener('message', announceEnd)
// A page that the browser had kept as it was.
addEventListener('pageshow', ({ persisted }) => persisted && announceEnd())

/** Calls `listener` whenever the login has, or may have, ended. Returns a function that unsubscribes. */
export function onEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceEnd(): void {
  for (const listener of listeners) listener()
}

/** To call after a login or logout. */
export function tellOtherTabs(): void {
  tabs.postMessage(null)
}

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`/api/operator/${path}`, {
    method,
    signal: AbortSignal.timeout(15_000),
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  if (!answer.ok) {
    const error = await errorOf(answer)
    if (path !== 'me' && error.code === 'SESSION_NOT_FOUND') announceEnd()
    throw error
  }
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text)
}

/** Responses of the service's /api/operator routes; times are ISO 8601. */
export interface Me {
  readonly id: string
  readonly email: string
  readonly expiresAt: string
}

export interface FoundUser {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member'
  readonly disabledAt: string | null
}

export interface FoundAccount {
  readonly id: string
  readonly name: string | null
  readonly owner: string | null
  readonly createdAt: string
}

/** One step of a search. */
export interface Found {
  readonly accounts: readonly FoundAccount[]
  readonly users: readonly FoundUser[]
  readonly next: string | null
}

/** What the operator has viewed last: each either a user or an account. */
export interface Viewed {
  readonly viewed: readonly {
    readonly at: string
    readonly user: FoundUser | null
    readonly account: FoundAccount | null
  }[]
}

/** E-mail addresses by user id, also of people who have been removed. */
export type People = Readonly<Record<string, string>>

export interface LogRow {
  readonly id: number
  readonly at: string
  readonly action: string
  readonly outcome: 'ok' | 'failed' | 'refused'
  /** The user concerned. */
  readonly userId: string | null
  readonly ip: string | null
  readonly device: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface Satellite {
  readonly id: string
  readonly accountId: string
  /** In lists that cover several accounts. */
  readonly accountName?: string | null
  readonly origin: string
  readonly name: string
  readonly kind: 'production' | 'preview'
  readonly state: 'pending' | 'active' | 'suspended'
  readonly suspendedBy: 'account' | 'check' | 'operator' | null
  readonly createdAt: string
  readonly failingSince: string | null
}

export interface PaymentEvent {
  readonly id: string
  readonly type: string
  readonly state: 'pending' | 'failed' | 'parked' | 'handled'
  readonly customerId: string | null
  readonly accountId: string | null
  /** In lists that cover several accounts. */
  readonly accountName?: string | null
  readonly receivedAt: string
  readonly effect:
    | 'applied'
    | 'none'
    | 'not newer'
    | 'noted'
    | 'unknown customer'
    | 'second subscription'
    | null
  readonly lastError: string | null
}

export interface Account {
  readonly id: string
  readonly name: string | null
  readonly createdAt: string
  readonly deleteAt: string | null
  readonly secondFactor: 'off' | 'payments' | 'managers' | 'everyone'
  readonly handoffRequired: 'none' | 'owners' | 'everyone'
  /** Perhaps on another page of the members. */
  readonly owner: { readonly id: string; readonly email: string } | null
  readonly subscription: {
    readonly status: string
    readonly priceId: string | null
    readonly quantity: number | null
    readonly currentPeriodEnd: string | null
    readonly endsAt: string | null
    readonly pastDueSince: string | null
  } | null
  readonly members: readonly (FoundUser & { readonly hasSecondFactor: boolean })[]
  readonly hasMore: boolean
  readonly satellites: readonly Satellite[]
  readonly waitingEvents: readonly PaymentEvent[]
  readonly latest: readonly LogRow[]
  readonly people: People
}

export interface Person extends FoundUser {
  readonly accountName: string | null
  readonly createdAt: string
  /** Null for whoever is not disabled, or was before this was recorded. */
  readonly disabledBy: 'account' | 'operator' | null
  readonly granted: Permissions
  readonly allowedSatellites: readonly string[] | null
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
  readonly mustEnrol: boolean
  readonly factors: {
    readonly totpConfirmedAt: string | null
    readonly passkeys: number
    readonly recoveryCodesLeft: number
  }
  readonly resetAt: string | null
  readonly sites: readonly {
    readonly site: string | null
    readonly kind: 'main' | 'satellite' | 'app'
    readonly sessions: readonly {
      readonly sid: string
      readonly device: string
      readonly place: string | null
      readonly ip: string
      readonly createdAt: string
      readonly lastUsed: string
    }[]
  }[]
  readonly latest: readonly LogRow[]
  readonly people: People
}

/** A mail that could not be sent. */
export interface FailedMail {
  readonly id: string
  readonly to: string
  /** The user who has this address now; null for nobody. */
  readonly userId: string | null
  readonly subject: string
  readonly failedAt: string
  readonly expiresAt: string
  /** The mail server's message. */
  readonly lastError: string
  readonly isLinkGood: boolean
}

/** What an operator did. */
export interface Deed extends Pick<LogRow, 'id' | 'at' | 'action' | 'outcome' | 'userId' | 'detail'> {
  /** Their address; null for the command line. */
  readonly operator: string | null
  /** The address of the user concerned; null for one who is gone. */
  readonly email: string | null
  readonly accountId: string | null
  readonly accountName: string | null
  readonly reason: string | null
}

export interface Activity {
  readonly entries: readonly Deed[]
  readonly next: string | null
}

export interface OperatorNames {
  readonly operators: readonly { readonly id: string; readonly email: string }[]
}

export interface Health {
  readonly status: 'ok' | 'degraded'
  readonly parts: Readonly<Record<string, { readonly state: 'up' | 'down'; readonly since: string }>>
  readonly mails: { readonly failed: number }
  /** Null where nothing is sold. */
  readonly billing: {
    readonly waitingEvents: number
    readonly oldestWaiting: string | null
    readonly customersDue: number
    readonly customersFailed: number
    readonly customersParked: number
  } | null
}

/** The state of the service, with what else may need somebody. */
export interface Attention extends Health {
  readonly satellites: { readonly failing: number }
  readonly deletions: {
    readonly all: number
    /** Those that are deleted next. */
    readonly next: readonly { readonly id: string; readonly name: string | null; readonly deleteAt: string }[]
  }
}

/** Counts of a day in UTC, such as `2026-11-30`. */
export interface DayFigures {
  readonly day: string
  readonly logins: number
  /** Of these logins, the ones that were proven by more than a password. */
  readonly secondFactors: number
  readonly failedLogins: number
  readonly signUps: number
}
