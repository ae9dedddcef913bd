import { Injectable } from '@nestjs/common'
import { UserEntitlements } from '../entitlements/user-entitlements.js'
import { type ProviderUpdate, ProviderUpdates } from '../provider/provider-updates.js'
import { SubscriptionCache } from '../subscription/subscription-cache.js'
import type { Written } from './customer-writer.js'

/** 2,000 users, in a fraction of a second. */
const PAGES_WAITED_FOR = 4

/** What follows once our records of a customer have been written. */
@Injectable()
export class AfterCommit {
  constructor(
    private readonly cache: SubscriptionCache,
    private readonly entitlements: UserEntitlements,
    private readonly updates: ProviderUpdates,
  ) {}

  /** Tells the rest of the service. In a large account, only the first users while somebody is waiting. */
  async publish({ accountId }: Written, isWaitedFor: boolean): Promise<void> {
    if (!accountId) return
    await this.cache.drop(accountId)
    await this.entitlements.bringTo(accountId, isWaitedFor ? PAGES_WAITED_FOR : undefined)
  }

  /** Tells the provider what it needs to know. Throws like `callStripe`. */
  async updateProvider(update: ProviderUpdate): Promise<void> {
    await this.updates.send(update)
  }
}
