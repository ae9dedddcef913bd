import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors/api-error.js'
import { BillingCustomers } from './billing-customers.js'
import { Checkouts } from './checkouts.js'
import { CustomerSync } from './customer-sync.js'
import { ProviderBulkhead } from './provider-bulkhead.js'

/** A page that asks again and again asks the provider this seldom. */
const ONCE_IN_MS = 2_000
const MOST_ACCOUNTS = 10_000
/** The browser stands on the page and asks again; the event comes anyway. */
const PATIENCE_MS = 3_000

/** Somebody has come back from the provider's page, perhaps before its event. */
@Injectable()
export class CheckoutReturn {
  private readonly recent = new LRUCache<string, Promise<void>>({ max: MOST_ACCOUNTS, ttl: ONCE_IN_MS })

  constructor(
    private readonly checkouts: Checkouts,
    private readonly customers: BillingCustomers,
    private readonly sync: CustomerSync,
    private readonly bulkhead: ProviderBulkhead,
  ) {}

  /** Throws `NOT_FOUND` (404) unless this is a checkout of the account. */
  async requireOwn(accountId: string, reference: string): Promise<void> {
    if (!(await this.checkouts.find(accountId, reference))) throw new ApiError('NOT_FOUND')
  }

  /** Asks the provider, unless we just did. One that does not answer changes nothing: what we have is the answer then. */
  async look(accountId: string): Promise<void> {
    const looking = this.recent.get(accountId) ?? this.ask(accountId)
    this.recent.set(accountId, looking, { noUpdateTTL: true })
    await looking
  }

  private async ask(accountId: string): Promise<void> {
    const customerId = await this.customers.find(accountId)
    if (!customerId) return
    try {
      await this.bulkhead.run(() => this.sync.lookNow(customerId), PATIENCE_MS)
    } catch (error) {
      if (!isProviderTrouble(error)) throw error
    }
  }
}

function isProviderTrouble(error: unknown): boolean {
  const { code } = error as ApiError
  return code === 'PAYMENT_PROVIDER_UNAVAILABLE' || code === 'PAYMENT_PROVIDER_FAILED' || code === 'TOO_BUSY'
}
