// A hosted checkout in all its parts, because each step relies on the one before: our row of it (Checkouts), its page at
// the provider (HostedCheckouts), the click that opens one (CheckoutService), and where the browser goes afterwards.
import { randomUUID } from 'node:crypto'
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { and, eq, isNotNull, isNull, notInArray, type SQL } from 'drizzle-orm'
import Stripe from 'stripe'
import type { KnownOrigins } from '../cors/cors.module.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { billingCustomers, checkouts } from '../platform/database/schema/billing.js'
import { isAnyOf } from '../platform/database/sql.js'
import { ApiError, causeMessage, unavailable } from '../platform/errors/api-error.js'
import { isId } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { Clock, secondsAfter, unixSeconds } from '../platform/time.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { isClosing } from '../users/accounts.js'
import { PriceRefusals } from './catalog.js'
import { BillingCustomers } from './customers.js'
import { BillingQueue } from './inbox.js'
import {
  callStripe,
  callStripeOrNull,
  firstPaymentOf,
  isAnswered,
  MeteredPrices,
  stripeSettingsOf,
} from './stripe.js'
import { ENDED_STATUSES, isLive, isPaymentPending, Subscriptions } from './subscriptions.js'

type Checkout = typeof checkouts.$inferSelect

/** What is bought, and where the browser goes afterwards. */
export interface CheckoutIntent {
  readonly priceId: string
  /** Number of seats; 1 where the plan has none. */
  readonly quantity: number
  readonly returnUrl: string
  /** Days that are free at first; 0 means it is paid at once. */
  readonly trialDays: number
}

/**
 * How long a page can be paid: the provider's maximum of 24 h from its own time, less five minutes because
 * clocks differ.
 */
export const PAYABLE_FOR_SECONDS = 24 * 60 * 60 - 300
/** How long the same page is handed out: nearly an hour less, so that it can still be paid. */
const OPEN_FOR_SECONDS = 23 * 60 * 60

const IS_PAYABLE = and(eq(checkouts.isOpen, true), isNotNull(checkouts.providerId))

/** The hosted checkouts of each account; at most one is open. */
@Injectable()
export class Checkouts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly subscriptions: Subscriptions,
  ) {}

  /**
   * The open checkout for this intent, created if necessary; concurrent calls get the same one. While another
   * page of the account can still be paid there is none: `conflictId` is its id at the provider. Expire that
   * first and then pass it as `expired`. In this order a provider that is down leaves no forgotten page. Throws
   * `ALREADY_SUBSCRIBED` when the account has paid in the meantime, `PAYMENT_PENDING` when that payment is on its
   * way, `ACCOUNT_CLOSING` while the account is going to be deleted, `SESSION_NOT_FOUND` when it is gone.
   */
  async open(
    accountId: string,
    intent: CheckoutIntent,
    expired: string | null = null,
  ): Promise<{ checkout: Checkout; conflictId: null } | { checkout: null; conflictId: string }> {
    const opened = await this.database.transaction(async transaction => {
      await this.requireNotClosing(transaction, accountId)
      const open = await this.findOpen(transaction, accountId)
      if (open && isSameIntent(open, intent) && open.expiresAt > this.clock.now()) return open
      if (open?.providerId && open.providerId !== expired) return open.providerId
      if (open) await this.close(transaction, eq(checkouts.id, open.id))
      // The page that was in the way may have been paid; whatever closed it has then recorded the
      // subscription.
      await this.requireNoSubscription(transaction, accountId)
      return this.insert(transaction, accountId, intent)
    })
    // Another request was faster: look at what it created.
    if (opened === null) return this.open(accountId, intent, expired)
    return typeof opened === 'string'
      ? { checkout: null, conflictId: opened }
      : { checkout: opened, conflictId: null }
  }

  /** Records the page that the provider created; false when another checkout has taken its place. */
  async setHosted(transaction: Db, id: string, providerId: string, url: string): Promise<boolean> {
    const [row] = await transaction
      .update(checkouts)
      .set({ providerId, url })
      .where(eq(checkouts.id, id))
      .returning({ isOpen: checkouts.isOpen })
    return row?.isOpen === true
  }

  /** A checkout that was paid, cancelled or expired at the provider is no longer open. */
  async closeHosted(providerId: string, transaction?: Db): Promise<void> {
    await this.database.run(db => this.close(db, eq(checkouts.providerId, providerId)), transaction)
  }

  /**
   * Closes a checkout that was never created at the provider, unless another replica has created it in the
   * meantime.
   */
  async abandon(id: string): Promise<void> {
    await this.database.run(db => this.close(db, and(eq(checkouts.id, id), isNull(checkouts.providerId))))
  }

  /**
   * Closes the pages on which these subscriptions were bought, by our id in their metadata. The provider need not be asked
   * to: a page that was paid cannot be paid again.
   */
  async closeBought(
    transaction: Db,
    accountId: string,
    bought: readonly Pick<Stripe.Subscription, 'metadata'>[],
  ): Promise<void> {
    const ids = bought.flatMap(({ metadata: { checkoutId } }) =>
      checkoutId !== undefined && isId(checkoutId) ? checkoutId : [],
    )
    if (ids.length === 0) return
    const isBought = and(eq(checkouts.accountId, accountId), isAnyOf(checkouts.id, ids))
    await this.close(transaction, and(isBought, eq(checkouts.isOpen, true)))
  }

  /** No page of the account can be paid any longer. */
  async closeAll(transaction: Db, accountId: string): Promise<void> {
    await this.close(transaction, eq(checkouts.accountId, accountId))
  }

  /**
   * The provider's ids of the open pages of an account that has bought another way or is going to be deleted; however
   * old, because the event that would have closed one may have been lost. For other accounts, those of prices that are no
   * longer on sale.
   */
  async listToClose(transaction: Db, accountId: string): Promise<string[]> {
    const bought = await this.subscriptions.row(accountId, transaction)
    const hasBought = bought !== null && (isLive(bought.status) || isPaymentPending(bought))
    const mayBuy = !hasBought && !(await isClosing(transaction, accountId))
    const { providerId } = checkouts
    const isHosted = and(eq(checkouts.accountId, accountId), mayBuy ? this.isUnsold() : IS_PAYABLE)
    const rows = await transaction.select({ providerId }).from(checkouts).where(isHosted)
    return rows.map(row => row.providerId as string)
  }

  /** Selects the open pages of prices that have left the sale. */
  isUnsold(): SQL | undefined {
    return and(IS_PAYABLE, notInArray(checkouts.priceId, [...stripeSettingsOf(this.settings).priceIds]))
  }

  /** The account's checkout by our id or the provider's; null for anything else, such as another account's. */
  async find(accountId: string, reference: string): Promise<Checkout | null> {
    const matchesReference = isId(reference)
      ? eq(checkouts.id, reference)
      : eq(checkouts.providerId, reference)
    const [found] = await this.database.run(db =>
      db
        .select()
        .from(checkouts)
        .where(and(eq(checkouts.accountId, accountId), matchesReference)),
    )
    return found ?? null
  }

  /** The customer of a checkout, by the provider's id of the checkout; null when it is not one of ours. */
  async customerOf(providerId: string): Promise<string | null> {
    const { customerId } = billingCustomers
    const [found] = await this.database.run(db =>
      db
        .select({ customerId })
        .from(checkouts)
        .innerJoin(billingCustomers, eq(billingCustomers.accountId, checkouts.accountId))
        .where(eq(checkouts.providerId, providerId)),
    )
    return found?.customerId ?? null
  }

  /** Whether the account is going to be deleted, so that nobody may pay for it. */
  isClosing(accountId: string): Promise<boolean> {
    return this.database.run(db => isClosing(db, accountId))
  }

  /**
   * Nobody may pay for an account that is being deleted. A deletion request waits until the transaction ends, and
   * so do webhooks about a paid page: both lock the account, then the checkout.
   */
  private async requireNotClosing(transaction: Db, accountId: string): Promise<void> {
    const [account] = await transaction
      .select({ deleteAt: accounts.deleteAt })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .for('share')
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    if (account.deleteAt) throw new ApiError('ACCOUNT_CLOSING')
  }

  /**
   * Throws what prevents a new subscription: `ALREADY_SUBSCRIBED`, or `PAYMENT_PENDING` (both 409) while the
   * first payment of one may still arrive, after which it bills.
   */
  private async requireNoSubscription(transaction: Db, accountId: string): Promise<void> {
    const row = await this.subscriptions.row(accountId, transaction)
    if (row && isLive(row.status)) throw new ApiError('ALREADY_SUBSCRIBED')
    if (row && isPaymentPending(row)) throw new ApiError('PAYMENT_PENDING')
  }

  private async findOpen(transaction: Db, accountId: string): Promise<Checkout | null> {
    const isOpen = and(eq(checkouts.accountId, accountId), eq(checkouts.isOpen, true))
    const [open] = await transaction.select().from(checkouts).where(isOpen).for('update')
    return open ?? null
  }

  /** Null when another request was faster. */
  private async insert(transaction: Db, accountId: string, intent: CheckoutIntent): Promise<Checkout | null> {
    const createdAt = this.clock.now()
    const expiresAt = secondsAfter(createdAt, OPEN_FOR_SECONDS)
    const [inserted] = await transaction
      .insert(checkouts)
      .values({ id: randomUUID(), accountId, ...intent, createdAt, expiresAt })
      .onConflictDoNothing()
      .returning()
    return inserted ?? null
  }

  private async close(transaction: Db, which: SQL | undefined): Promise<void> {
    await transaction.update(checkouts).set({ isOpen: false }).where(which)
  }
}

function isSameIntent(checkout: Checkout, intent: CheckoutIntent): boolean {
  const fields = ['priceId', 'quantity', 'returnUrl', 'trialDays'] as const
  return fields.every(field => checkout[field] === intent[field])
}

/** Checkouts as they are at the provider. */
@Injectable()
export class HostedCheckouts {
  constructor(
    private readonly stripe: Stripe,
    private readonly priceRefusals: PriceRefusals,
    private readonly customers: BillingCustomers,
    private readonly queue: BillingQueue,
    private readonly meteredPrices: MeteredPrices,
    private readonly settings: Settings,
  ) {}

  /** What fixed the currency of the account's customer has ended: the next {@link create} asks the provider again. */
  async forgetCurrency(accountId: string, price: string): Promise<void> {
    this.priceRefusals.forget({ customer: await this.customers.ensure(accountId), price })
  }

  /**
   * Our id is the idempotency key: after a lost answer or a crash, a retry returns the first checkout. Throws
   * like `callStripe`, and `CURRENCY_FIXED` and `PLAN_UNAVAILABLE` (409), the first for a minute without asking.
   */
  async create(checkout: Checkout): Promise<Stripe.Checkout.Session> {
    const customer = await this.customers.ensure(checkout.accountId)
    const sale = { customer, price: checkout.priceId }
    this.priceRefusals.requireNotFixed(sale)
    const params = await this.paramsOf(checkout, customer)
    const options = { idempotencyKey: `checkout-${checkout.id}` }
    try {
      return await callStripe(() => this.stripe.checkout.sessions.create(params, options))
    } catch (error) {
      // The customer may have been deleted there and the event lost.
      if (isAnswered(error)) await this.queue.add(customer)
      const refusal = await this.priceRefusals.explain(error, sale)
      const { code, cause } = refusal as ApiError
      throw code === 'PAYMENT_PROVIDER_REFUSED' ? new ApiError('PLAN_UNAVAILABLE', { cause }) : refusal
    }
  }

  /**
   * Expires the page; null when nobody can pay it any longer, and what was bought on it has ended, if anything was.
   * Returns `ALREADY_SUBSCRIBED` if somebody has paid it, `PAYMENT_PENDING` if somebody has begun to; the customer is
   * then synced, because the event may have been lost. Safe to repeat. Throws like `callStripe`, also when it is still
   * open.
   */
  async expire(providerId: string): Promise<'ALREADY_SUBSCRIBED' | 'PAYMENT_PENDING' | null> {
    const checkout = await callStripeOrNull(() => this.expireOrRetrieve(providerId))
    if (checkout?.status === 'open') throw unavailable('PAYMENT_PROVIDER_UNAVAILABLE')
    if (checkout?.status !== 'complete' || (await this.hasEnded(checkout))) return null
    if (typeof checkout.customer === 'string') await this.queue.add(checkout.customer)
    return checkout.payment_status === 'unpaid' ? 'PAYMENT_PENDING' : 'ALREADY_SUBSCRIBED'
  }

  /** Whether the subscription that was bought on a page can never bill again. */
  private async hasEnded({ subscription }: Stripe.Checkout.Session): Promise<boolean> {
    if (typeof subscription !== 'string') return false
    const found = await callStripeOrNull(() => this.stripe.subscriptions.retrieve(subscription))
    return found === null || ENDED_STATUSES.includes(found.status)
  }

  /** The provider expires only what is open. */
  private async expireOrRetrieve(providerId: string): Promise<Stripe.Checkout.Session> {
    try {
      return await this.stripe.checkout.sessions.expire(providerId)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
      return this.stripe.checkout.sessions.retrieve(providerId)
    }
  }

  /** From our row, the settings and what never changes alone, so that a retry is byte-identical. */
  private async paramsOf(checkout: Checkout, customer: string): Promise<Stripe.Checkout.SessionCreateParams> {
    const { id, accountId, priceId, quantity, returnUrl, trialDays, createdAt } = checkout
    const metadata = { accountId, checkoutId: id }
    const { subscription_data: trial, ...options } = stripeSettingsOf(this.settings).checkoutOptions
    return {
      ...options,
      mode: 'subscription',
      customer,
      client_reference_id: accountId,
      line_items: [{ price: priceId, ...(await this.meteredPrices.quantityOf(priceId, quantity)) }],
      success_url: withCheckout(returnUrl, id),
      cancel_url: returnUrl,
      metadata,
      subscription_data: { metadata, ...(trialDays > 0 && { ...trial, trial_period_days: trialDays }) },
      expires_at: unixSeconds(createdAt) + PAYABLE_FOR_SECONDS,
    }
  }
}

/** Starts hosted checkouts. No database transaction is open while the provider is asked. */
@Injectable()
export class CheckoutService {
  /** Ten concurrent clicks make one request to the provider. */
  private readonly underWay = new Map<string, Promise<string>>()

  constructor(
    private readonly checkouts: Checkouts,
    private readonly customers: BillingCustomers,
    private readonly hosted: HostedCheckouts,
    private readonly subscriptions: Subscriptions,
    private readonly stripe: Stripe,
    private readonly queue: BillingQueue,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The URL of the account's open checkout for this intent. Safe to repeat: the same intent gives the same
   * URL.
   */
  async start(actor: SessionActor, intent: CheckoutIntent): Promise<string> {
    await this.customers.requireOfOurKey(actor.accountId)
    const url = await this.page(actor, intent).catch(async error => {
      // What fixes the currency may be the unpaid subscription itself.
      const isFixed = (error as ApiError).code === 'CURRENCY_FIXED'
      if (!isFixed || !(await this.endUnpaid(actor.accountId))) throw error
      await this.hosted.forgetCurrency(actor.accountId, intent.priceId)
      return this.page(actor, intent)
    })
    // Only now, because the provider may refuse the new page, and then the unpaid subscription is all there is. Both can
    // be paid for a moment, but nobody has the address of the page until the other has ended, however often this fails.
    await this.endUnpaid(actor.accountId)
    return url
  }

  private async page(actor: SessionActor, intent: CheckoutIntent): Promise<string> {
    const checkout = await this.open(actor.accountId, intent)
    if (checkout.url) return checkout.url
    const underWay = this.underWay.get(checkout.id) ?? this.host(checkout, actor)
    this.underWay.set(checkout.id, underWay)
    return underWay.finally(() => this.underWay.delete(checkout.id))
  }

  /**
   * Ends a subscription whose first payment has failed or was never confirmed, which could still be paid for some hours,
   * before another is sold. Throws `ALREADY_SUBSCRIBED` when it was paid in the meantime, `PAYMENT_PENDING` when somebody
   * has begun to, and like `callStripe`. In the first two cases the customer is synced, which closes the new page. False
   * when there is none.
   */
  private async endUnpaid(accountId: string): Promise<boolean> {
    const row = await this.subscriptions.row(accountId)
    if (row?.status !== 'incomplete' || isPaymentPending(row)) return false
    const found = await callStripeOrNull(() => this.stripe.subscriptions.retrieve(row.providerId))
    if (found?.status !== 'incomplete') {
      await this.requeue(found)
      return true
    }
    if ((await firstPaymentOf(this.stripe, found)).state === 'processing') {
      await this.queue.add(found.customer as string)
      throw new ApiError('PAYMENT_PENDING')
    }
    const invoice = found.latest_invoice
    if (invoice && !(await this.voidInvoiceIfOpen(typeof invoice === 'string' ? invoice : invoice.id)))
      await this.requeue(found)
    // Without its invoice nobody can pay it, but it would stay `incomplete` until it expires.
    else await callStripeOrNull(() => this.stripe.subscriptions.cancel(found.id))
    return true
  }

  /** The provider voids only unpaid invoices, so a payment at this very moment is not lost. */
  private async voidInvoiceIfOpen(invoiceId: string): Promise<boolean> {
    return callStripe(async () => {
      try {
        await this.stripe.invoices.voidInvoice(invoiceId)
        return true
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        return (await this.stripe.invoices.retrieve(invoiceId)).status === 'void'
      }
    })
  }

  /** Throws `ALREADY_SUBSCRIBED` unless it has ended. */
  private async requeue(found: Stripe.Subscription | null): Promise<void> {
    const customer = found?.customer
    if (typeof customer === 'string') await this.queue.add(customer)
    if (found && !ENDED_STATUSES.includes(found.status)) throw new ApiError('ALREADY_SUBSCRIBED')
  }

  private async open(accountId: string, intent: CheckoutIntent): Promise<Checkout> {
    let opened = await this.checkouts.open(accountId, intent)
    while (opened.conflictId !== null) {
      await this.expire(opened.conflictId)
      opened = await this.checkouts.open(accountId, intent, opened.conflictId)
    }
    return opened.checkout
  }

  private async host(checkout: Checkout, actor: SessionActor): Promise<string> {
    const { id: providerId, url } = await this.createHosted(checkout)
    const { priceId } = checkout
    const isOpen = await this.database.transaction(async transaction => {
      const created = auditEvent(actor, 'checkout.create', { checkout: providerId, priceId })
      await this.auditLog.record(transaction, created)
      return this.checkouts.setHosted(transaction, checkout.id, providerId, url as string)
    })
    if (isOpen) return url as string
    await this.expire(providerId)
    throw unavailable('TOO_BUSY')
  }

  /**
   * The provider repeats a recorded failure under the same key for a day, so the next click uses a new key.
   * Throws like {@link HostedCheckouts.create}.
   */
  private async createHosted(checkout: Checkout) {
    try {
      return await this.hosted.create(checkout)
    } catch (error) {
      const { code } = error as ApiError
      const isRefused = code === 'PLAN_UNAVAILABLE' || code === 'CURRENCY_FIXED'
      if (isRefused || isAnswered(error)) await this.checkouts.abandon(checkout.id)
      throw error
    }
  }

  /**
   * Two open pages could both be paid. Throws `ALREADY_SUBSCRIBED` or `PAYMENT_PENDING` (409) if this one
   * was.
   */
  private async expire(providerId: string): Promise<void> {
    const conflict = await this.hosted.expire(providerId)
    if (conflict) throw new ApiError(conflict)
  }
}

/**
 * At start, has the pages closed whose price is no longer on sale: whoever paid on one would pay for something that may
 * be in no plan any more. The nightly comparison closes those that an older replica opens after that.
 */
@Injectable()
export class UnsoldPages implements OnApplicationBootstrap {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly checkouts: Checkouts,
    private readonly queue: BillingQueue,
    private readonly server: HttpAdapterHost,
  ) {}

  /** In the background, and not at the command line: the worker asks the provider. */
  onApplicationBootstrap(): void {
    if (this.server.httpAdapter) void this.close()
  }

  private async close(): Promise<void> {
    try {
      const customers = await this.database.run(db =>
        db
          .select({ customerId: billingCustomers.customerId })
          .from(checkouts)
          .innerJoin(billingCustomers, eq(billingCustomers.accountId, checkouts.accountId))
          .where(this.checkouts.isUnsold()),
      )
      for (const { customerId } of customers) if (customerId) await this.queue.add(customerId)
    } catch (error) {
      this.logger.warn(`Pages of prices that are no longer on sale stay open: ${causeMessage(error)}`)
    }
  }
}

const MAX_LENGTH = 2_048
/**
 * Printable ASCII without the backslash, which browsers read as a slash. Only a path, query or fragment may
 * follow the origin.
 */
const SAFE_TEXT = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/

/** Origin, path, query with its question mark, fragment with its hash. */
const PARTS = /^(\w+:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?(.*)$/s

/**
 * Whether the browser may be sent here after payment: an absolute URL that starts, byte for byte, with a
 * known origin, and has no user name. Known origins are https, except loopback hosts in development.
 */
export function isSafeReturnUrl(text: string, { mainOrigin, satellites }: KnownOrigins): boolean {
  if (text.length > MAX_LENGTH || !SAFE_TEXT.test(text) || !URL.canParse(text)) return false
  const { origin } = new URL(text)
  const isKnown = origin === mainOrigin || satellites.has(origin)
  // A user name would stand between the slashes and the host.
  return isKnown && text.startsWith(origin) && /^([/?#]|$)/.test(text.slice(origin.length))
}

/** The address with `checkout=<id>` in its query, for a return after payment. */
export function withCheckout(returnUrl: string, checkoutId: string): string {
  return withParameter(returnUrl, 'checkout', checkoutId)
}

/**
 * The address with `portal=closed` in its query, for a return from the portal, where the plan may have
 * changed.
 */
export function withPortal(returnUrl: string): string {
  return withParameter(returnUrl, 'portal', 'closed')
}

/**
 * The address with its bytes as they were given, because its site may have signed them, or may read them in its own
 * way: `URL.searchParams` would write the whole query anew.
 */
function withParameter(address: string, name: string, value: string): string {
  const [, start, path, given = '', fragment] = PARTS.exec(address) as RegExpExecArray
  const query = given
    .slice(1)
    .split('&')
    .filter(parameter => !new URLSearchParams(parameter).has(name))
    .join('&')
  const separator = query === '' || query.endsWith('&') ? '' : '&'
  return `${start}${path || '/'}?${query}${separator}${name}=${value}${fragment}`
}
