import { Injectable } from '@nestjs/common'
import type { Written } from './customer-writer.js'
import { Entitlements } from './entitlements.js'
import { type ProviderUpdate, ProviderUpdates } from './provider-updates.js'
import { SubscriptionCache } from './subscription-cache.js'

/** What follows when our records of a customer have been written. */
@Injectable()
export class AfterCommit {
  constructor(
    private readonly cache: SubscriptionCache,
    private readonly entitlements: Entitlements,
    private readonly updates: ProviderUpdates,
  ) {}

  /** Tells the rest of the service. Throws `SESSION_STORE_UNAVAILABLE`; what sessions were to be told is not lost then. */
  async publish({ accountId, recorded }: Written): Promise<void> {
    if (accountId) await this.cache.drop(accountId)
    await this.entitlements.tell(recorded)
  }

  /** Tells the provider what it has to know. Throws as `ask` does. */
  async updateProvider(update: ProviderUpdate): Promise<void> {
    await this.updates.send(update)
  }
}
