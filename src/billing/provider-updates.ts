import { Injectable } from '@nestjs/common'
import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { subscriptions } from '../platform/database/schema/billing.js'
import { PlansFile } from '../platform/plans.js'
import { Clock } from '../platform/time.js'
import { UserEmails } from '../users/email-addresses.js'
import { Checkouts, HostedCheckouts } from './checkout.js'
import { BillingCustomers, type CustomerDetails } from './customers.js'
import { callStripe, callStripeOrNull, isAnswered, stripeSettingsOf } from './stripe.js'
import { currentSubscription, isLive, isPastDue, Subscriptions } from './subscriptions.js'

/** All subscriptions that the provider has for a customer, newest first. */
type FoundSubscriptions = readonly Stripe.Subscription[]

/** A quantity to request from the provider, and the number of the request. */
interface SeatChange {
  readonly accountId: string
  readonly subscriptionId: string
  readonly itemId: string
  readonly seats: number
  readonly version: number
  /** Whether a payment is due, so that nothing may be billed at once. */
  readonly isPaymentDue: boolean
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
    // Agreed by hand at the provider.
    if (current.metadata.quantity === 'fixed') return null
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
    const isPaymentDue = isPastDue(current)
    return { accountId, subscriptionId: current.id, itemId: item.id, seats, version, isPaymentDue }
  }

  /** Tells the provider; after a lost answer, again under the same key. Throws like `callStripe`. */
  async sync(change: SeatChange): Promise<void> {
    const { accountId, subscriptionId, itemId, seats, version } = change
    const proration = this.prorationOf(change)
    try {
      await callStripe(() =>
        this.stripe.subscriptions.update(
          subscriptionId,
          { items: [{ id: itemId, quantity: seats }], proration_behavior: proration },
          // A key is for one body only, and what is due may change between a lost answer and the next try.
          { idempotencyKey: `seats-${subscriptionId}-${version}-${proration}` },
        ),
      )
    } catch (error) {
      // The provider repeats a recorded failure under the same key for a day.
      if (isAnswered(error)) await this.resetSeatRequest(accountId, version)
      throw error
    }
    // It repeats answers too: if a customer changes the number in the portal, a request under the old key would
    // not change it back.
    await this.resetSeatRequest(accountId, version)
  }

  /**
   * A credit that is invoiced at once is also paid at once, and the provider calls a past due subscription active as
   * soon as its latest invoice is paid.
   */
  private prorationOf({ isPaymentDue }: SeatChange) {
    const { proration } = stripeSettingsOf(this.settings)
    return isPaymentDue && proration === 'always_invoice' ? 'create_prorations' : proration
  }

  private async resetSeatRequest(accountId: string, version: number): Promise<void> {
    const isThis = and(eq(subscriptions.accountId, accountId), eq(subscriptions.seatsVersion, version))
    await this.database.run(db => db.update(subscriptions).set({ seatsWanted: null }).where(isThis))
  }
}

/** A cancelled subscription that ends before its paid period does. */
interface Ending {
  readonly accountId: string
  readonly subscriptionId: string
}

/**
 * What has to be sent to the provider about an account, so that it bills the right amount, once, to the right
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
    private readonly seats: Seats,
    private readonly customers: BillingCustomers,
    private readonly stripe: Stripe,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly userEmails: UserEmails,
  ) {}

  /** What is due after this sync; null when nothing is. */
  async due(transaction: Db, accountId: string, found: FoundSubscriptions): Promise<ProviderUpdate | null> {
    const pages = await this.checkouts.listToClose(transaction, accountId)
    const ending = await this.endingDue(transaction, accountId, found)
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
    if (ending) await this.end(ending)
    if (seats) await this.seats.sync(seats)
    if (details) await this.customers.sendDetails(details)
  }

  /**
   * A cancelled subscription in its last period, which has to end now because its account is being deleted; null when
   * there is none.
   */
  private async endingDue(
    transaction: Db,
    accountId: string,
    found: FoundSubscriptions,
  ): Promise<Ending | null> {
    const cancelled = found.find(isInLastPeriod)
    if (!cancelled || !(await this.isDueForDeletion(transaction, accountId))) return null
    return { accountId, subscriptionId: cancelled.id }
  }

  /**
   * Ends it at the provider, without a refund. Bills what is pending for the next invoice, such as new seats,
   * which the provider would otherwise forget. Does nothing when the account's deletion has been cancelled in the
   * meantime. Safe to repeat; throws like `callStripe`.
   */
  private async end({ accountId, subscriptionId }: Ending): Promise<void> {
    if (!(await this.database.run(db => this.isDueForDeletion(db, accountId)))) return
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(subscriptionId, { invoice_now: true }))
  }

  /** Not while the owner can undo a change of e-mail address: an attacker may have requested the deletion. */
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
