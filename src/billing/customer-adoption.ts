import { Injectable } from '@nestjs/common'
import { and, eq, isNotNull } from 'drizzle-orm'
import Stripe from 'stripe'
import { type Actor, auditEvent, SERVICE } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { checkouts } from '../platform/database/schema/billing.js'
import { isId } from '../platform/http/request.js'
import { PlansFile } from '../platform/plans.js'
import { Checkouts, HostedCheckouts } from './checkout.js'
import { BillingCustomers } from './customers.js'
import type { WaitingEvent } from './inbox.js'
import { callStripe, callStripeOrNull, describeIdentity, ProviderKey, withAllItems } from './stripe.js'
import { ENDED_STATUSES } from './subscriptions.js'

/** An account, and the customer that it is to have at the provider. */
interface Adoption {
  readonly accountId: string
  readonly customerId: string
}

/** Why an account cannot be linked to a customer, worded for an operator. */
export class AdoptionRefused extends Error {}

/**
 * Customers that were made at the provider, by another system or by hand. Only an operator, or whoever may write there,
 * says whose one is: the metadata of a customer cannot be written by the customer, unlike an e-mail address or the
 * `client_reference_id` of a payment link.
 */
@Injectable()
export class CustomerAdoption {
  constructor(
    private readonly stripe: Stripe,
    private readonly key: ProviderKey,
    private readonly customers: BillingCustomers,
    private readonly checkouts: Checkouts,
    private readonly hosted: HostedCheckouts,
    private readonly plans: PlansFile,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Links the account to the customer, for an operator. Throws {@link AdoptionRefused}: our key does not know the
   * customer, it belongs to another account, the account does not exist or is going to be deleted, or what it has already
   * is not over. Safe to repeat; throws like `callStripe`. The customer has to be synced afterwards.
   */
  async adopt({ accountId, customerId }: Adoption, actor: Actor): Promise<void> {
    const objection = await this.objection({ accountId, customerId })
    if (objection !== null) throw new AdoptionRefused(objection)
    const before = await this.customers.find(accountId)
    if (before !== null && before !== customerId) await this.requireNothingLive(accountId, before)
    if (!(await this.link({ accountId, customerId }, before, actor)))
      throw new AdoptionRefused(
        `${customerId} is the customer of another account, or account ${accountId} does not exist or is going to be deleted`,
      )
    await callStripe(() => this.stripe.customers.update(customerId, { metadata: { accountId } }))
  }

  /**
   * Why the customer cannot be that of the account, which need not exist yet; null when nothing is in the way but what the
   * account itself may have. Changes nothing; throws like `callStripe`.
   */
  async objection({ accountId, customerId }: Adoption): Promise<string | null> {
    const identity = await this.key.identify()
    const customer = await this.find(customerId)
    if (!customer) return `${customerId} does not exist in ${describeIdentity(identity)}`
    const { accountId: named } = customer.metadata
    if (named && named !== accountId)
      return `${customerId} has another account in its metadata (accountId): ${named}`
    const owner = await this.customers.accountOf(customerId)
    return owner === null || owner === accountId
      ? null
      : `${customerId} is the customer of another account: ${owner}`
  }

  /**
   * Those of a customer's events that are about a subscription for one of our prices. Asks the provider only about
   * subscriptions with more items than an event carries, because its account may be shared with another business; throws
   * like `callStripe`.
   */
  async salesIn(events: readonly WaitingEvent[]): Promise<WaitingEvent[]> {
    const sales: WaitingEvent[] = []
    const asked = new Map<string, boolean>()
    for (const event of events) if (await this.isOurSale(event, asked)) sales.push(event)
    return sales
  }

  /**
   * Links a customer that no account has to the account that its metadata names, if that has none; returns whether it did.
   * Throws like `callStripe`.
   */
  async adoptNamed(customerId: string): Promise<boolean> {
    const accountId = (await this.find(customerId))?.metadata.accountId
    return accountId !== undefined && isId(accountId) && this.link({ accountId, customerId }, null, SERVICE)
  }

  /** `asked` has what the provider has answered so far, by subscription. */
  private async isOurSale({ type, event }: WaitingEvent, asked: Map<string, boolean>): Promise<boolean> {
    const { data } = (event ?? {}) as { data?: { object?: Stripe.Subscription } }
    const sold = data?.object
    if (!type.startsWith('customer.subscription.') || !sold?.items) return false
    const hasOurPrice = ({ items }: Pick<Stripe.Subscription, 'items'>) =>
      items.data.some(({ price }) => this.plans.knows(price?.id))
    if (hasOurPrice(sold) || ENDED_STATUSES.includes(sold.status)) return hasOurPrice(sold)
    if (!sold.items.has_more) return false
    const known = asked.get(sold.id)
    if (known !== undefined) return known
    const whole = await withAllItems(this.stripe, sold)
    const isOurs = whole !== null && hasOurPrice(whole)
    asked.set(sold.id, isOurs)
    return isOurs
  }

  /** Null for one that our key does not know, or that is deleted. */
  private async find(customerId: string): Promise<Stripe.Customer | null> {
    const found = await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))
    return found && !found.deleted ? found : null
  }

  private async link(adoption: Adoption, before: string | null, actor: Actor): Promise<boolean> {
    const { accountId, customerId } = adoption
    const identity = await this.key.identify()
    return this.database.transaction(async transaction => {
      if (!(await this.customers.link(transaction, { ...adoption, before }, identity))) return false
      const adopted = auditEvent({ ...actor, accountId }, 'billing.adopt', { customer: customerId })
      if (before !== customerId) await this.auditLog.record(transaction, adopted)
      return true
    })
  }

  /** What the account's own customer still has, or could still pay, would bill the account a second time. */
  private async requireNothingLive(accountId: string, customer: string): Promise<void> {
    const found = await callStripeOrNull(() =>
      this.stripe.subscriptions.list({ customer, status: 'all', limit: 100 }),
    )
    if (!found)
      throw new AdoptionRefused(
        `Account ${accountId} has ${customer} of another key: see billing:forget-customers`,
      )
    const live = found.data.find(({ status }) => !ENDED_STATUSES.includes(status))
    if (live)
      throw new AdoptionRefused(
        `Account ${accountId} has ${live.id} (${live.status}) as ${customer}: end that first`,
      )
    const isOpen = and(eq(checkouts.accountId, accountId), eq(checkouts.isOpen, true))
    const pages = await this.database.run(db =>
      db
        .select()
        .from(checkouts)
        .where(and(isOpen, isNotNull(checkouts.providerId))),
    )
    for (const { providerId } of pages) {
      if (await this.hosted.expire(providerId as string))
        throw new AdoptionRefused(
          `Account ${accountId} has just bought a subscription as ${customer}: end that first`,
        )
      await this.checkouts.closeHosted(providerId as string)
    }
  }
}
