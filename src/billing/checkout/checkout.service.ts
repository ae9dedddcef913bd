import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { Database } from '../../database/database.js'
import { ApiError, unavailable } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { FailedFirstPayments } from '../subscription/failed-first-payments.js'
import { type Checkout, type CheckoutIntent, Checkouts } from './checkouts.js'
import { HostedCheckouts } from './hosted-checkouts.js'

/** Starts hosted checkouts. No database transaction is open while the provider is asked. */
@Injectable()
export class CheckoutService {
  /** Ten clicks at once are one request to the provider. */
  private readonly underWay = new Map<string, Promise<string>>()

  constructor(
    private readonly checkouts: Checkouts,
    private readonly hosted: HostedCheckouts,
    private readonly unpaid: FailedFirstPayments,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** The URL of the account's open checkout for this intent. Safe to repeat: the same intent gives the same URL. */
  async start(caller: Caller, intent: CheckoutIntent, client: Client): Promise<string> {
    await this.unpaid.end(caller.accountId)
    const checkout = await this.open(caller.accountId, intent)
    if (checkout.url) return checkout.url
    const underWay = this.underWay.get(checkout.id) ?? this.host(checkout, caller, client)
    this.underWay.set(checkout.id, underWay)
    return underWay.finally(() => this.underWay.delete(checkout.id))
  }

  private async open(accountId: string, intent: CheckoutIntent): Promise<Checkout> {
    let opened = await this.checkouts.openFor(accountId, intent)
    while (opened.inTheWay !== null) {
      await this.expire(opened.inTheWay)
      opened = await this.checkouts.openFor(accountId, intent, opened.inTheWay)
    }
    return opened.checkout
  }

  private async host(checkout: Checkout, caller: Caller, client: Client): Promise<string> {
    const { id: providerId, url } = await this.createHosted(checkout)
    const { userId, accountId, sid } = caller
    const isOpen = await this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, {
        action: 'checkout.create',
        outcome: 'ok',
        userId,
        accountId,
        sid,
        client,
        detail: { checkout: providerId, priceId: checkout.priceId },
      })
      return this.checkouts.setHosted(transaction, checkout.id, providerId, url as string)
    })
    if (isOpen) return url as string
    await this.expire(providerId)
    throw unavailable('TOO_BUSY')
  }

  /**
   * The provider repeats a recorded failure under the same key for a day, so the next click uses a new key.
   */
  private async createHosted(checkout: Checkout) {
    try {
      return await this.hosted.create(checkout)
    } catch (error) {
      if ((error as ApiError).code === 'PAYMENT_PROVIDER_FAILED') await this.checkouts.abandon(checkout.id)
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
