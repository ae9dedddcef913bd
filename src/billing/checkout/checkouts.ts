import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, isNotNull, isNull, notInArray, type SQL } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { accounts } from '../../platform/database/schema/accounts.js'
import { billingCustomers, checkouts } from '../../platform/database/schema/billing.js'
import { isAnyOf } from '../../platform/database/sql.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { isId } from '../../platform/http/request.js'
import { Clock, secondsAfter } from '../../platform/time.js'
import { isLive, isPaymentPending } from '../subscription/subscription-rules.js'
import { Subscriptions } from '../subscription/subscriptions.js'

export type Checkout = typeof checkouts.$inferSelect

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
    return and(IS_PAYABLE, notInArray(checkouts.priceId, [...this.settings.stripe.priceIds]))
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

/** Whether the account is going to be deleted. */
async function isClosing(transaction: Db, accountId: string): Promise<boolean> {
  const isClosing = and(eq(accounts.id, accountId), isNotNull(accounts.deleteAt))
  return (await transaction.$count(accounts, isClosing)) > 0
}

function isSameIntent(checkout: Checkout, intent: CheckoutIntent): boolean {
  const fields = ['priceId', 'quantity', 'returnUrl', 'trialDays'] as const
  return fields.every(field => checkout[field] === intent[field])
}
