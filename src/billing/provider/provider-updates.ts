import { Injectable } from '@nestjs/common'
import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Clock } from '../../clock/clock.js'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { accounts, users } from '../../database/schema/accounts.js'
import { subscriptions } from '../../database/schema/billing.js'
import type { ApiError } from '../../errors/api-error.js'
import { PlansFile } from '../../permissions/plans-file.js'
import { UserEmails } from '../../users/user-emails.js'
import { Checkouts } from '../checkout/checkouts.js'
import { HostedCheckouts } from '../checkout/hosted-checkouts.js'
import { currentSubscription } from '../subscription/current-subscription.js'
import { isLive } from '../subscription/subscription-rules.js'
import { Subscriptions } from '../subscription/subscriptions.js'
import { BillingCustomers, type CustomerDetails } from './billing-customers.js'
import { callStripe, callStripeOrNull } from './payment-provider.js'

/** All subscriptions that the provider has for a customer, newest first. */
type FoundSubscriptions = readonly Stripe.Subscription[]

/** A quantity to request from the provider, and the number of the request. */
export interface SeatChange {
  readonly accountId: string
  readonly subscriptionId: string
  readonly itemId: string
  readonly seats: number
  readonly version: number
}

/**
 * What the provider bills by: the active users of an account, including its owner, where the plan says so, and
 * once for every other plan.
 */
@Injectable()
export class Seats {
  constructor(
    private readonly database: Database,
    private readonly plans: PlansFile,
    private readonly stripe: Stripe,
    private readonly settings: Settings,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** The quantity to buy of a price. */
  async quantityFor(db: Db, accountId: string, priceId: string | null): Promise<number> {
    if (!this.plans.of(priceId)?.seats) return 1
    const isActive = and(eq(users.accountId, accountId), isNull(users.disabledAt))
    return Math.max(await db.$count(users, isActive), 1)
  }

  /**
   * The change that is due, given what the provider has; null when none is, or the price is in no plan. The
   * request keeps its number until it is answered.
   */
  async due(transaction: Db, accountId: string, found: FoundSubscriptions): Promise<SeatChange | null> {
    if (this.plans.version === null) return null
    const row = await this.subscriptions.row(accountId, transaction)
    const { current } = currentSubscription(found, row?.providerId ?? null)
    const item = current && this.subscriptions.planItem(current, row)
    if (!current || !item || !isLive(current.status)) return null
    // What is billed by usage has no quantity.
    if (!this.plans.of(item.price.id) || item.quantity === undefined) return null
    const seats = await this.quantityFor(transaction, accountId, item.price.id)
    if (item.quantity === seats) return null
    const [request] = await transaction
      .update(subscriptions)
      .set({
        seatsVersion: sql`${subscriptions.seatsVersion} + case when ${subscriptions.seatsWanted} is not distinct from ${seats} then 0 else 1 end`,
        seatsWanted: seats,
      })
      .where(eq(subscriptions.accountId, accountId))
      .returning({ version: subscriptions.seatsVersion })
    const version = request?.version ?? 0
    return { accountId, subscriptionId: current.id, itemId: item.id, seats, version }
  }

  /** Tells the provider; after a lost answer, again under the same key. Throws like `callStripe`. */
  async sync({ accountId, subscriptionId, itemId, seats, version }: SeatChange): Promise<void> {
    try {
      await callStripe(() =>
        this.stripe.subscriptions.update(
          subscriptionId,
          { items: [{ id: itemId, quantity: seats }], proration_behavior: this.settings.stripe.proration },
          { idempotencyKey: `seats-${subscriptionId}-${version}` },
        ),
      )
    } catch (error) {
      // The provider repeats a recorded failure under the same key for a day.
      if ((error as ApiError).code === 'PAYMENT_PROVIDER_FAILED')
        await this.resetSeatRequest(accountId, version)
      throw error
    }
    // It repeats answers too: if somebody changes the number in the portal, a request under the old key would
    // not change it back.
    await this.resetSeatRequest(accountId, version)
  }

  private async resetSeatRequest(accountId: string, version: number): Promise<void> {
    const isThis = and(eq(subscriptions.accountId, accountId), eq(subscriptions.seatsVersion, version))
    await this.database.run(db => db.update(subscriptions).set({ seatsWanted: null }).where(isThis))
  }
}

/** Cancelled subscriptions in their last period, which is not over yet. */
@Injectable()
export class CancelledSubscriptions {
  constructor(
    private readonly stripe: Stripe,
    private readonly clock: Clock,
    private readonly userEmails: UserEmails,
  ) {}

  /** The id of one that has to end now because its account is being deleted; null when there is none. */
  async due(transaction: Db, accountId: string, found: FoundSubscriptions): Promise<string | null> {
    const cancelled = found.find(isInLastPeriod)
    return cancelled && (await this.isDueForDeletion(transaction, accountId)) ? cancelled.id : null
  }

  /**
   * Ends it at the provider, without a refund. Bills what is pending for the next invoice, such as new seats,
   * which the provider would otherwise forget. Safe to repeat; throws like `callStripe`.
   */
  async end(subscriptionId: string): Promise<void> {
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(subscriptionId, { invoice_now: true }))
  }

  /** Not while the owner can undo a change of e-mail address: a thief may have requested the deletion. */
  private async isDueForDeletion(transaction: Db, accountId: string): Promise<boolean> {
    const isDue = and(eq(accounts.id, accountId), lte(accounts.deleteAt, this.clock.now()))
    const [owner] = await transaction
      .select({ id: users.id })
      .from(accounts)
      .innerJoin(users, and(eq(users.accountId, accounts.id), eq(users.role, 'owner')))
      .where(isDue)
    return owner !== undefined && !(await this.userEmails.areAnyOpen(transaction, [owner.id]))
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
  readonly endingId: string | null
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
    const endingId = await this.cancelled.due(transaction, accountId, found)
    const seats = endingId ? null : await this.seats.due(transaction, accountId, found)
    const details = await this.customers.detailsDue(transaction, accountId)
    return pages.length > 0 || endingId || seats || details ? { pages, endingId, seats, details } : null
  }

  /** Tells the provider, starting with what concerns money. Safe to repeat; throws like `callStripe`. */
  async send({ pages, endingId, seats, details }: ProviderUpdate): Promise<void> {
    for (const page of pages) {
      // One that is paid at this very moment has an event of its own, which reports a second subscription.
      await this.hosted.expire(page)
      await this.checkouts.closeHosted(page)
    }
    if (endingId) await this.cancelled.end(endingId)
    if (seats) await this.seats.sync(seats)
    if (details) await this.customers.sendDetails(details)
  }
}

/** Whether the provider accepted an update about money and the same one is due again. */
export function wasIgnored(sent: ProviderUpdate, due: ProviderUpdate): boolean {
  const isEndingDue = sent.endingId !== null && sent.endingId === due.endingId
  const areSeatsDue = sent.seats !== null && sent.seats.seats === due.seats?.seats
  return isEndingDue || areSeatsDue
}

/** By either of the provider's two fields. A term with further periods to pay is the customer's to fulfil. */
function isInLastPeriod({ status, cancel_at, cancel_at_period_end, items }: Stripe.Subscription): boolean {
  // Add-ons may have shorter periods than the plan.
  const isPaidFor = (endsAt: number) => items.data.some(item => endsAt <= item.current_period_end)
  return isLive(status) && (cancel_at_period_end || (cancel_at !== null && isPaidFor(cancel_at)))
}
