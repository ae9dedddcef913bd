import type { Permissions } from '@mainstay-auth/client'
import { maySubscribe, type Subscription } from '../../../../pieces/billing/subscription.js'
import type { SecondFactor } from '../../../answers.js'
import { call } from '../../../api.js'

export interface Step {
  readonly href: string
  readonly name: string
  readonly why: string
  readonly isDone: boolean
}

interface PossibleStep {
  readonly href: string
  readonly name: string
  readonly why: string
  readonly mayDo: (permissions: Permissions) => boolean
  readonly isDone: () => Promise<boolean>
}

const STEPS: readonly PossibleStep[] = [
  {
    href: '/account/security',
    name: 'Set up a second factor',
    why: 'A passkey or an authenticator app keeps out whoever learns your password.',
    mayDo: () => true,
    isDone: async () => {
      const { totp, passkeys } = await call<SecondFactor>('GET', 'second-factor')
      return totp !== null || passkeys > 0
    },
  },
  {
    href: '/account/team',
    name: 'Invite somebody to your team',
    why: 'Give each person the permissions that they need, and no others.',
    mayDo: ({ teamManagement }) => teamManagement,
    isDone: async () => {
      const { users } = await call<{ users: unknown[] }>('GET', 'team')
      if (users.length > 1) return true
      const { invitations } = await call<{ invitations: unknown[] }>('GET', 'team/invitations')
      return invitations.length > 0
    },
  },
  {
    href: '/account/satellites',
    name: 'Add a satellite',
    why: 'Your team logs in to your own sites with the same account.',
    mayDo: ({ accountSettings }) => accountSettings,
    isDone: async () => {
      const { satellites } = await call<{ satellites: unknown[] }>('GET', 'satellites')
      return satellites.length > 0
    },
  },
  {
    href: '/account/billing',
    name: 'Choose a plan',
    why: 'You see the price before you pay.',
    mayDo: ({ payments }) => payments,
    isDone: async () => !maySubscribe(await call<Subscription>('GET', 'subscription')),
  },
]

/** What there is to do for somebody with these permissions, and what of it is done. Throws as `call` does. */
export function stepsFor(permissions: Permissions): Promise<Step[]> {
  const possible = STEPS.filter(({ mayDo }) => mayDo(permissions))
  return Promise.all(
    possible.map(async ({ href, name, why, isDone }) => ({ href, name, why, isDone: await isDone() })),
  )
}
