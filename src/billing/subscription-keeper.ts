import { Injectable, Logger } from '@nestjs/common'
import type { Db } from '../database/connection.js'
import { BillingCustomers } from './billing-customers.js'
import { Checkouts } from './checkouts.js'
import type { ProviderLook } from './provider-look.js'
import { isLive, type SubscriptionStatus } from './subscription-view.js'
import { Subscriptions } from './subscriptions.js'

/** What an event did here. */
export interface Effect {
  readonly accountId: string | null
  /**
   * `none`: nothing to do. `not newer`: we knew. `unknown customer`, `second subscription`: nothing changed, and an
   * operator has to look.
   */
  readonly effect: 'applied' | 'none' | 'not newer' | 'unknown customer' | 'second subscription'
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
    if (await this.subscriptions.keep(transaction, accountId, subscription, seenAt))
      return { accountId, effect: 'applied' }
    if (
      !isLive(subscription.status as SubscriptionStatus) ||
      (await this.subscriptions.isKept(transaction, subscription.id))
    )
      return { accountId, effect: 'not newer' }
    this.logger.error(`Account ${accountId} is billed for a second subscription, ${subscription.id}`)
    return { accountId, effect: 'second subscription' }
  }
}
