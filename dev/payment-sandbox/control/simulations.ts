import type { Checkouts } from '../checkout/checkouts.js'
import type { CustomerDeletion } from '../customers/customer-deletion.js'
import { ApiError } from '../http/api-error.js'
import type { Charges } from '../payments/charges.js'
import type { DelayedPayments } from '../payments/delayed-payments.js'
import type { Dunning } from '../subscriptions/dunning.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { Trials } from '../subscriptions/trials.js'

interface HappeningParts {
  checkouts: Checkouts
  delayedPayments: DelayedPayments
  dunning: Dunning
  charges: Charges
  trials: Trials
  subscriptions: Subscriptions
  deletion: CustomerDeletion
}

/** Each is about the thing whose id it is given: a checkout, a subscription, a dispute or a customer. */
const HAPPENINGS = {
  'checkout-expires': ({ checkouts }, id) => checkouts.expire(id),
  'payment-succeeds': ({ delayedPayments }, id) => delayedPayments.succeed(id),
  'payment-fails': ({ delayedPayments }, id) => delayedPayments.fail(id),
  'first-payment-expires': ({ delayedPayments }, id) => delayedPayments.expire(id),
  'renewal-fails': ({ dunning }, id) => dunning.failAttempt(id, 'invoice.payment_failed'),
  'renewal-needs-action': ({ dunning }, id) => dunning.failAttempt(id, 'invoice.payment_action_required'),
  'invoice-paid': ({ dunning }, id) => dunning.recover(id),
  'trial-ends-soon': ({ trials }, id) => trials.endSoon(id),
  paused: ({ subscriptions }, id) => subscriptions.pause(id),
  resumed: ({ subscriptions }, id) => subscriptions.resume(id, {}),
  canceled: ({ subscriptions }, id) => subscriptions.cancel(id),
  refunded: ({ charges }, id) => charges.refund(id, null),
  disputed: ({ charges }, id) => charges.dispute(id),
  'dispute-won': ({ charges }, id) => charges.closeDispute(id, 'won'),
  'dispute-lost': ({ charges }, id) => charges.closeDispute(id, 'lost'),
  'customer-deleted': ({ deletion }, id) => deletion.delete(id),
} satisfies Record<string, (parts: HappeningParts, id: string) => unknown>

export type Happening = keyof typeof HAPPENINGS

/** What the bank, the clock, or somebody in Stripe's dashboard does, at the press of a button. */
export class Happenings {
  constructor(private readonly parts: HappeningParts) {}

  /** Lets it happen, with Stripe's events. Throws ApiError: 404 for an unknown name or thing, 409 when it cannot happen now. */
  run(name: string, id: string): void {
    if (!Object.hasOwn(HAPPENINGS, name))
      throw new ApiError(404, 'invalid_request_error', `Nothing is called '${name}'`)
    try {
      HAPPENINGS[name as Happening](this.parts, id)
    } catch (error) {
      // The plain ones say that the thing is not in a state for it; a TypeError and its like are bugs.
      if ((error as Error).constructor !== Error) throw error
      throw new ApiError(409, 'invalid_request_error', (error as Error).message)
    }
  }
}
