import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { BillingCustomers } from '../customers/billing-customers.js'
import { PaymentRequests } from '../provider/payment-requests.js'
import { CustomerSync } from '../sync/customer-sync.js'
import { Checkouts } from './checkouts.js'

/** How seldom the provider is asked, however often the page asks. */
const ONCE_IN_MS = 2_000
const MOST_ACCOUNTS = 10_000
/** The browser keeps asking, and the event arrives anyway. */
const PATIENCE_MS = 3_000

/** Handles a return from the provider's checkout or portal, possibly before its event. */
@Injectable()
export class CheckoutReturn {
  private readonly recent = new LRUCache<string, Promise<void>>({ max: MOST_ACCOUNTS, ttl: ONCE_IN_MS })

  constructor(
    private readonly checkouts: Checkouts,
    private readonly customers: BillingCustomers,
    private readonly sync: CustomerSync,
    private readonly requests: PaymentRequests,
  ) {}

  /** Throws `NOT_FOUND` (404) unless this is a checkout of the account. */
  async requireOwn(accountId: string, reference: string): Promise<void> {
    if (!(await this.checkouts.find(accountId, reference))) throw new ApiError('NOT_FOUND')
  }

  /**
   * Asks the provider, unless we just did. If it does not answer, what we already have is the answer. Throws
   * `TOO_MANY_ATTEMPTS` (429).
   */
  async refresh(caller: Caller, client: Client): Promise<void> {
    const { accountId } = caller
    const running = this.recent.get(accountId) ?? this.fetch(caller, client)
    this.recent.set(accountId, running, { noUpdateTTL: true })
    await running
  }

  private async fetch(caller: Caller, client: Client): Promise<void> {
    const customerId = await this.customers.find(caller.accountId)
    if (!customerId) return
    try {
      await this.requests.run(caller, client, () => this.sync.syncNow(customerId), PATIENCE_MS)
    } catch (error) {
      if (isProviderFailure(error)) return
      // Other users of the account may have asked less often.
      this.recent.delete(caller.accountId)
      throw error
    }
  }
}

function isProviderFailure(error: unknown): boolean {
  const { code } = error as ApiError
  return code === 'PAYMENT_PROVIDER_UNAVAILABLE' || code === 'PAYMENT_PROVIDER_FAILED' || code === 'TOO_BUSY'
}
