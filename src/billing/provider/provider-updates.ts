import { Injectable } from '@nestjs/common'
import { and, eq, lte } from 'drizzle-orm'
import Stripe from 'stripe'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import { Clock } from '../../platform/time.js'
import { UserEmails } from '../../users/email-addresses.js'
import { Checkouts } from '../checkout/checkouts.js'
import { HostedCheckouts } from '../checkout/hosted-checkouts.js'
import { isLive } from '../subscription/subscription-rules.js'
import { BillingCustomers, type CustomerDetails } from './billing-customers.js'
import { callStripeOrNull } from './payment-provider.js'
import { type FoundSubscriptions, type SeatChange, Seats } from './seats.js'

/** A cancelled subscription that ends before its paid period does. */
interface Ending {
  readonly accountId: string
  readonly subscriptionId: string
}

/** Cancelled subscriptions in their last period, which is not over yet. */
@Injectable()
export class CancelledSubscriptions {
  constructor(
    private readonly stripe: Stripe,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly userEmails: UserEmails,
  ) {}

  /** One that has to end now because its account is being deleted; null when there is none. */
  async due(transaction: Db, accountId: string, found: FoundSubscriptions): Promise<Ending | null> {
    const cancelled = found.find(isInLastPeriod)
    if (!cancelled || !(await this.isDueForDeletion(transaction, accountId))) return null
    return { accountId, subscriptionId: cancelled.id }
  }

  /**
   * Ends it at the provider, without a refund. Bills what is pending for the next invoice, such as new seats,
   * which the provider would otherwise forget. Does nothing when the account's deletion has been cancelled in the
   * meantime. Safe to repeat; throws like `callStripe`.
   */
  async end({ accountId, subscriptionId }: Ending): Promise<void> {
    if (!(await this.database.run(db => this.isDueForDeletion(db, accountId)))) return
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(subscriptionId, { invoice_now: true }))
  }

  /** Not while the owner can undo a change of e-mail address: a thief may have requested the deletion. */
  private async isDueForDeletion(db: Db, accountId: string): Promise<boolean> {
    const isDue = and(eq(accounts.id, accountId), lte(accounts.deleteAt, this.clock.now()))
    const [owner] = await db
      .select({ id: users.id })
      .from(accounts)
      .innerJoin(users, and(eq(users.accountId, accounts.id), eq(users.role, 'owner')))
      .where(isDue)
    return owner !== undefined && !(await this.userEmails.areAnyOpen(db, [owner.id]))
  }
}

/**
 * What the provider has to be told about an account, so that it bills the right amount, once, to the right
 * person.
 */
export interface ProviderUpdate {
  /**
   * Open checkout pages of an account that has bought another way, or from another page: each could bill it a
   * second time.
   */
  readonly pages: readonly string[]
  /** A cancelled subscription of an account that is being deleted. */
  readonly ending: Ending | null
  readonly seats: SeatChange | null
  readonly details: CustomerDetails | null
}

@Injectable()
export class ProviderUpdates {
  constructor(
    private readonly checkouts: Checkouts,
    private readonly hosted: HostedCheckouts,
    private readonly cancelled: CancelledSubscriptions,
    private readonly seats: Seats,
    private readonly customers: BillingCustomers,
  ) {}

  /** What is due after this sync; null when nothing is. */
  async due(transaction: Db, accountId: string, found: FoundSubscriptions): Promise<ProviderUpdate | null> {
    const pages = await this.checkouts.listToClose(transaction, accountId)
    const ending = await this.cancelled.due(transaction, accountId, found)
    const seats = ending ? null : await this.seats.due(transaction, accountId, found)
    const details = await this.customers.detailsDue(transaction, accountId)
    return pages.length > 0 || ending || seats || details ? { pages, ending, seats, details } : null
  }

  /** Tells the provider, starting with what concerns money. Safe to repeat; throws like `callStripe`. */
  async send({ pages, ending, seats, details }: ProviderUpdate): Promise<void> {
    for (const page of pages) {
      // One that is paid at this very moment has an event of its own, which reports a second subscription.
      await this.hosted.expire(page)
      await this.checkouts.closeHosted(page)
    }
    if (ending) await this.cancelled.end(ending)
    if (seats) await this.seats.sync(seats)
    if (details) await this.customers.sendDetails(details)
  }
}

/** Whether the provider accepted an update about money and the same one is due again. */
export function wasIgnored(sent: ProviderUpdate, due: ProviderUpdate): boolean {
  const isEndingDue = sent.ending !== null && sent.ending.subscriptionId === due.ending?.subscriptionId
  const areSeatsDue = sent.seats !== null && sent.seats.seats === due.seats?.seats
  return isEndingDue || areSeatsDue
}

/** By either of the provider's two fields. A term with further periods to pay is the customer's to fulfil. */
function isInLastPeriod({ status, cancel_at, cancel_at_period_end, items }: Stripe.Subscription): boolean {
  // Add-ons may have shorter periods than the plan.
  const isPaidFor = (endsAt: number) => items.data.some(item => endsAt <= item.current_period_end)
  return isLive(status) && (cancel_at_period_end || (cancel_at !== null && isPaidFor(cancel_at)))
}
