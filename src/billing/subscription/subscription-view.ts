import type { ProviderStatus } from './provider-status.js'
import type { SubscriptionState } from './subscription-state.js'

/** An account's subscription as we have it; all times ISO 8601, UTC. */
export interface KnownSubscription {
  readonly status: ProviderStatus
  /** The price that was bought; null without a subscription. */
  readonly plan: string | null
  readonly quantity: number | null
  readonly currentPeriodEnd: string | null
  /** Whether it has been cancelled; it lives until `endsAt`. */
  readonly cancelAtPeriodEnd: boolean
  /** When it ends or has ended; null while it is not cancelled. */
  readonly endsAt: string | null
  /** When the account loses its plan unless it pays; null while no payment is due. */
  readonly graceUntil: string | null
  /** Whether the first payment may still arrive. */
  readonly isPaymentPending: boolean
}

/** A {@link KnownSubscription} as the account's users see it at a given time. */
export interface SubscriptionView extends Omit<KnownSubscription, 'isPaymentPending'> {
  readonly state: SubscriptionState
  /** The plan's name in the plans file, else the provider's; null while neither is known. */
  readonly planName: string | null
  /** When the next period is charged; null when none will be, or a payment is already due. */
  readonly renewsAt: string | null
}

export const NO_SUBSCRIPTION: KnownSubscription = {
  status: 'none',
  plan: null,
  quantity: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  endsAt: null,
  graceUntil: null,
  isPaymentPending: false,
}

/** What we know, in the terms of the account's users. */
export function viewOf(
  { isPaymentPending: _, ...known }: KnownSubscription,
  state: SubscriptionState,
  planName: string | null,
): SubscriptionView {
  const goesOn = (state === 'active' || state === 'trialing') && known.endsAt === null
  return { ...known, state, planName, renewsAt: goesOn ? known.currentPeriodEnd : null }
}
