import { Injectable } from '@nestjs/common'
import type Stripe from 'stripe'
import type { Db } from '../../database/connection.js'
import { OpenPages } from '../checkout/open-pages.js'
import { type CustomerDetails, CustomerDetailsSync } from '../customers/customer-details.js'
import { CancelledSubscriptions } from '../subscription/cancelled-subscriptions.js'
import { type SeatChange, Seats } from '../subscription/seats.js'

/**
 * What the provider has to be told about an account, so that it bills the right amount, once, to the right
 * person.
 */
export interface ProviderUpdate {
  /** Pages that must no longer be paid. */
  readonly pages: readonly string[]
  /** A cancelled subscription of an account that is being deleted. */
  readonly endingId: string | null
  readonly seats: SeatChange | null
  readonly details: CustomerDetails | null
}

@Injectable()
export class ProviderUpdates {
  constructor(
    private readonly pages: OpenPages,
    private readonly cancelled: CancelledSubscriptions,
    private readonly seats: Seats,
    private readonly details: CustomerDetailsSync,
  ) {}

  /** What is due after this look; null when nothing is. */
  async due(
    transaction: Db,
    accountId: string,
    found: readonly Stripe.Subscription[],
  ): Promise<ProviderUpdate | null> {
    const pages = await this.pages.due(transaction, accountId)
    const endingId = await this.cancelled.due(transaction, accountId, found)
    const seats = endingId ? null : await this.seats.due(transaction, accountId, found)
    const details = await this.details.due(transaction, accountId)
    return pages.length > 0 || endingId || seats || details ? { pages, endingId, seats, details } : null
  }

  /** Tells the provider, first what concerns money. Safe to repeat; throws like `callStripe`. */
  async send({ pages, endingId, seats, details }: ProviderUpdate): Promise<void> {
    await this.pages.close(pages)
    if (endingId) await this.cancelled.end(endingId)
    if (seats) await this.seats.sync(seats)
    if (details) await this.details.tell(details)
  }
}

/** Whether the provider accepted an update about money and the same one is due again. */
export function wasIgnored(sent: ProviderUpdate, due: ProviderUpdate): boolean {
  const isEndingDue = sent.endingId !== null && sent.endingId === due.endingId
  const areSeatsDue = sent.seats !== null && sent.seats.seats === due.seats?.seats
  return isEndingDue || areSeatsDue
}
