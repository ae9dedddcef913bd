import type { Permissions } from '@mainstay-auth/client'
import { maySubscribe, type Subscription } from '../../../../pieces/billing/subscription.js'
import type { Satellite, SecondFactor } from '../../../answers.js'
import { call } from '../../../api.js'

/** The progress of an account, as far as the caller may see it; null for what they may not. */
export interface AccountFacts {
  readonly hasSecondFactor: boolean
  /** `hasMore`: there are more people than were counted. */
  readonly team: { readonly people: number; readonly hasMore: boolean; readonly invited: number } | null
  readonly satellites: {
    readonly all: number
    readonly active: number
    /** To be proved next, when none is proved yet. */
    readonly unproved: Satellite | null
  } | null
  readonly hasPlan: boolean | null
}

/** Throws as `call` does. */
export async function readFacts(permissions: Permissions): Promise<AccountFacts> {
  const { teamManagement, accountSettings, payments } = permissions
  const [factor, team, satellites, subscription] = await Promise.all([
    call<SecondFactor>('GET', 'second-factor'),
    teamManagement ? readTeam() : null,
    accountSettings ? call<{ satellites: Satellite[] }>('GET', 'satellites') : null,
    payments ? call<Subscription>('GET', 'subscription') : null,
  ])
  return {
    hasSecondFactor: factor.totp !== null || factor.passkeys > 0,
    team,
    satellites: satellites && countSatellites(satellites.satellites),
    hasPlan: subscription && !maySubscribe(subscription),
  }
}

function countSatellites(all: readonly Satellite[]): AccountFacts['satellites'] {
  const isPending = ({ state }: Satellite) => state === 'pending'
  return {
    all: all.length,
    active: all.filter(({ state }) => state === 'active').length,
    unproved: all.every(isPending) ? (all[0] ?? null) : null,
  }
}

async function readTeam() {
  const [{ users, next }, { invitations }] = await Promise.all([
    call<{ users: unknown[]; next: string | null }>('GET', 'team'),
    call<{ invitations: unknown[] }>('GET', 'team/invitations'),
  ])
  return { people: users.length, hasMore: next !== null, invited: invitations.length }
}
