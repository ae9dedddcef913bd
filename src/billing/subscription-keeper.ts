import { Injectable, Logger } from '@nestjs/common'
import type { Db } from '../database/connection.js'
import { BillingCustomers } from './billing-customers.js'
import { Checkouts } from './checkouts.js'
import type { ProviderLook } from './provider-look.js'
import { Subscriptions } from './subscriptions.js'

/** What an event did here. */
export interface Effect {
  readonly accountId: string | null
  /** `none`: nothing to do. `unknown customer`, `not newer`: kept for the operator, nothing changed. */
  readonly effect: 'applied' | 'none' | 'unknown customer' | 'not newer'
}

/** Brings our records to what was seen at the provider. */
@Injectable()
export class SubscriptionKeeper {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly customers: BillingCustomers,
    private readonly checkouts: Checkouts,
    private readonly subscriptions: Subscriptions,
  ) {}

  async keep(
    transaction: Db,
    { subscription, closedCheckoutId }: ProviderLook,
    seenAt: Date,
  ): Promise<Effect> {
    if (closedCheckoutId) await this.checkouts.closeHosted(transaction, closedCheckoutId)
    if (!subscription) return { accountId: null, effect: 'none' }
    const { customer } = subscription
    const accountId = await this.customers.accountOf(
      transaction,
      typeof customer === 'string' ? customer : customer.id,
    )
    if (!accountId) {
      this.logger.warn(`Subscription ${subscription.id} is of a customer that no account has`)
      return { accountId: null, effect: 'unknown customer' }
    }
    const isKept = await this.subscriptions.keep(transaction, accountId, subscription, seenAt)
    return { accountId, effect: isKept ? 'applied' : 'not newer' }
  }
}
