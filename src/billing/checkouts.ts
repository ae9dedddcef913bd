import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, type SQL } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { checkouts } from '../database/schema.js'

export type Checkout = typeof checkouts.$inferSelect

/** What somebody wants to buy, and where they want to be afterwards. */
export interface CheckoutIntent {
  readonly priceId: string
  readonly returnUrl: string
}

/** An hour less than the provider gives (24 h), so that what we hand out can still be paid. */
const OPEN_FOR_SECONDS = 23 * 60 * 60

/** The hosted checkouts of each account; at most one is open. */
@Injectable()
export class Checkouts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The open checkout of this intent, made if need be; however many ask at once, all get the same. While a page of
   * another intent, or an old one, can still be paid there is none: `inTheWay` is its id at the provider, to be
   * expired there first and then given as `expired`. In this order a provider that is down leaves no forgotten page.
   */
  async openFor(
    accountId: string,
    intent: CheckoutIntent,
    expired: string | null = null,
  ): Promise<{ checkout: Checkout; inTheWay: null } | { checkout: null; inTheWay: string }> {
    const opened = await this.database.transaction(async transaction => {
      const open = await this.findOpen(transaction, accountId)
      if (open && isSameIntent(open, intent) && open.expiresAt > this.clock.now()) return open
      if (open?.providerId && open.providerId !== expired) return open.providerId
      if (open) await this.close(transaction, eq(checkouts.id, open.id))
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

  /** Closes a checkout that never came to be at the provider. */
  async abandon(id: string): Promise<void> {
    await this.database.run(db => this.close(db, eq(checkouts.id, id)))
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

function isSameIntent(checkout: Checkout, { priceId, returnUrl }: CheckoutIntent): boolean {
  return checkout.priceId === priceId && checkout.returnUrl === returnUrl
}
