/** What the service's /api/operator routes answer; moments are ISO 8601. */
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

export interface Found {
  readonly accounts: readonly {
    readonly id: string
    readonly name: string | null
    readonly owner: string | null
    readonly createdAt: string
  }[]
  readonly users: readonly FoundUser[]
}

export interface LogRow {
  readonly id: number
  readonly at: string
  readonly action: string
  readonly outcome: 'ok' | 'failed' | 'refused'
  readonly ip: string | null
  readonly device: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface Satellite {
  readonly id: string
  readonly accountId: string
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
  readonly receivedAt: string
  readonly effect: string | null
  readonly lastError: string | null
}

export interface Account {
  readonly id: string
  readonly name: string | null
  readonly createdAt: string
  readonly deleteAt: string | null
  readonly secondFactor: string
  readonly handoffRequired: string
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
}

export interface Person extends FoundUser {
  readonly createdAt: string
  readonly granted: Readonly<Record<string, boolean>>
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
  /** Null while the session store is down. */
  readonly sites:
    | readonly {
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
    | null
  readonly latest: readonly LogRow[]
}

export interface Health {
  readonly status: 'ok' | 'degraded'
  readonly parts: Readonly<Record<string, { readonly state: 'up' | 'down'; readonly since: string }>>
  readonly billing: {
    readonly waitingEvents: number
    readonly oldestWaiting: string | null
    readonly customersDue: number
    readonly customersFailed: number
    readonly customersParked: number
  }
}
