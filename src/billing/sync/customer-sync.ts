import { Injectable } from '@nestjs/common'
import { SubscriptionCache } from '../billing-caches.js'
import { UserEntitlements } from '../entitlements/user-entitlements.js'
import { type ProviderUpdate, ProviderUpdates, wasIgnored } from '../provider/provider-updates.js'
import type { ClaimedWork } from './billing-queue.js'
import { CustomerSnapshots } from './customer-snapshot.js'
import { type Cause, CustomerWriter, type Written } from './customer-writer.js'

/** For a look that a browser waits for: nobody has claimed the customer, and other work stays for the worker. */
const OUT_OF_TURN = null
/** In a large account, only the first users while somebody is waiting: 2,000, in a fraction of a second. */
const PAGES_WAITED_FOR = 4

/** Brings our records of one customer up to date with the provider, and handles its waiting events. */
@Injectable()
export class CustomerSync {
  constructor(
    private readonly snapshots: CustomerSnapshots,
    private readonly writer: CustomerWriter,
    private readonly cache: SubscriptionCache,
    private readonly userEntitlements: UserEntitlements,
    private readonly updates: ProviderUpdates,
  ) {}

  /**
   * Looks, then writes everything in one transaction. Throws when the provider or the database is out of
   * reach; nothing has changed then and it can be repeated. What the provider has to be told follows, so that
   * its refusal delays nothing else. Starts nothing after `limit`. Returns false when there is more to tell the
   * provider: the work is then still claimed.
   */
  async run(claimed: ClaimedWork, limit?: AbortSignal): Promise<boolean> {
    const customerId = await this.snapshots.customerBehind(claimed.customerId)
    limit?.throwIfAborted()
    if (customerId === null || !(await this.snapshots.isOurs(customerId))) {
      await this.writer.dismiss(claimed)
      return true
    }
    const update = await this.sync(customerId, null, claimed, limit)
    if (!update) return true
    await this.updates.send(update)
    const next = await this.sync(customerId, 'event', claimed, limit)
    if (next && wasIgnored(update, next))
      throw new Error('The provider accepted an update but did not apply it')
    // Otherwise somebody joined or left in the meantime.
    return next === null
  }

  /** The same at once, for a customer who is waiting in a browser. */
  async syncNow(customerId: string): Promise<void> {
    await this.sync(customerId, 'return', OUT_OF_TURN)
  }

  /** Treats the customer as deleted, without asking the provider. */
  async forget(customerId: string): Promise<void> {
    const deleted = await this.snapshots.asDeleted(customerId)
    await this.publish(await this.writer.write(deleted, 'routine', OUT_OF_TURN))
  }

  /** Returns what the provider has to be told. */
  private async sync(
    customerId: string,
    cause: Cause | null,
    claimed: ClaimedWork | null,
    limit?: AbortSignal,
  ): Promise<ProviderUpdate | null> {
    const waitsAs = claimed?.customerId ?? customerId
    const snapshot = await this.snapshots.fetch(customerId, waitsAs, claimed?.isRoutine ?? false)
    limit?.throwIfAborted()
    const written = await this.writer.write(snapshot, cause, claimed)
    await this.publish(written, claimed === OUT_OF_TURN ? PAGES_WAITED_FOR : undefined)
    limit?.throwIfAborted()
    return written.update
  }

  /** Tells the rest of the service what was committed. */
  private async publish({ accountId, areUsersBehind }: Written, pages?: number): Promise<void> {
    if (!accountId) return
    await this.cache.drop(accountId)
    if (areUsersBehind) await this.userEntitlements.applyToUsers(accountId, pages)
  }
}
