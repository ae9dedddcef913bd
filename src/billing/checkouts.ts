import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, isNull, type SQL } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { accounts, checkouts } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'
import { AccountBilling } from './account-billing.js'
import { OPEN_FOR_SECONDS } from './checkout-times.js'

export type Checkout = typeof checkouts.$inferSelect

/** What somebody wants to buy, and where they want to be afterwards. */
export interface CheckoutIntent {
  readonly priceId: string
  /** How many seats; 1 where the plan has none. */
  readonly quantity: number
  readonly returnUrl: string
  /** How long it is free at first; 0: it is paid at once. */
  readonly trialDays: number
}

const OUR_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The hosted checkouts of each account; at most one is open. */
@Injectable()
export class Checkouts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly billing: AccountBilling,
  ) {}

  /**
   * The open checkout of this intent, made if need be; however many ask at once, all get the same. While a page of
   * another intent, or an old one, can still be paid there is none: `inTheWay` is its id at the provider, to be
   * expired there first and then given as `expired`. In this order a provider that is down leaves no forgotten page.
   * Throws `ALREADY_SUBSCRIBED` when the account has paid meanwhile, `PAYMENT_PENDING` when that payment is on its way, `ACCOUNT_CLOSING` while it is going to be deleted,
   * `SESSION_NOT_FOUND` when it is gone.
   */
  async openFor(
    accountId: string,
    intent: CheckoutIntent,
    expired: string | null = null,
  ): Promise<{ checkout: Checkout; inTheWay: null } | { checkout: null; inTheWay: string }> {
    const opened = await this.database.transaction(async transaction => {
      await this.requireStaying(transaction, accountId)
      const open = await this.findOpen(transaction, accountId)
      if (open && isSameIntent(open, intent) && open.expiresAt > this.clock.now()) return open
      if (open?.providerId && open.providerId !== expired) return open.providerId
      if (open) await this.close(transaction, eq(checkouts.id, open.id))
      // The page that we waited for may have been paid: what closed it has recorded the subscription with it.
      await this.billing.requireNone(transaction, accountId)
      return this.insert(transaction, accountId, intent)
    })
    // Another request was quicker: look again at what it made.
    if (opened === null) return this.openFor(accountId, intent, expired)
    return typeof opened === 'string'
      ? { checkout: null, inTheWay: opened }
      : { checkout: opened, inTheWay: null }
  }

  /** Notes what the provider made of a checkout; false when another has taken its place meanwhile. */
  async setHosted(transaction: Db, id: string, providerId: string, url: string): Promise<boolean> {
    const [row] = await transaction
      .update(checkouts)
      .set({ providerId, url })
      .where(eq(checkouts.id, id))
      .returning({ isOpen: checkouts.isOpen })
    return row?.isOpen === true
  }

  /** A checkout that was paid, cancelled or has expired at the provider is open no more. */
  async closeHosted(transaction: Db, providerId: string): Promise<void> {
    await this.close(transaction, eq(checkouts.providerId, providerId))
  }

  /** Closes a checkout that never came to be at the provider; one that another replica has hosted meanwhile stays. */
  async abandon(id: string): Promise<void> {
    await this.database.run(db => this.close(db, and(eq(checkouts.id, id), isNull(checkouts.providerId))))
  }

  /** No page of the account can be paid any more. */
  async closeAll(transaction: Db, accountId: string): Promise<void> {
    await this.close(transaction, eq(checkouts.accountId, accountId))
  }

  /** The account's checkout by our id or the provider's; null for everything else, such as another account's. */
  async find(accountId: string, reference: string): Promise<Checkout | null> {
    const isReferred = OUR_ID.test(reference)
      ? eq(checkouts.id, reference)
      : eq(checkouts.providerId, reference)
    const [found] = await this.database.run(db =>
      db
        .select()
        .from(checkouts)
        .where(and(eq(checkouts.accountId, accountId), isReferred)),
    )
    return found ?? null
  }

  /**
   * Nobody is to pay for what goes. Whoever asks for the end of the account waits until the transaction ends, webhooks
   * with the payment of an open page do not: they hold the checkout first.
   */
  private async requireStaying(transaction: Db, accountId: string): Promise<void> {
    const [account] = await transaction
      .select({ deleteAt: accounts.deleteAt })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .for('share')
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    if (account.deleteAt) throw new ApiError('ACCOUNT_CLOSING')
  }

  private async findOpen(transaction: Db, accountId: string): Promise<Checkout | null> {
    const isOpen = and(eq(checkouts.accountId, accountId), eq(checkouts.isOpen, true))
    const [open] = await transaction.select().from(checkouts).where(isOpen).for('update')
    return open ?? null
  }

  /** Null when another request was quicker. */
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
