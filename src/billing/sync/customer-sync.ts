import { Injectable } from '@nestjs/common'
import { Database } from '../../database/database.js'
import { type ProviderUpdate, wasIgnored } from '../provider/provider-updates.js'
import { AfterCommit } from './after-commit.js'
import { BillingQueue, type ClaimedWork } from './billing-queue.js'
import { CustomerSnapshots } from './customer-snapshot.js'
import { CustomerWriter } from './customer-writer.js'
import type { Cause } from './subscription-writer.js'

/**
 * For a look that a browser waits for: nobody has claimed the customer, and other work stays for the worker.
 */
const OUT_OF_TURN = null

/** Brings our records of one customer up to date with the provider, and handles its waiting events. */
@Injectable()
export class CustomerSync {
  constructor(
    private readonly database: Database,
    private readonly queue: BillingQueue,
    private readonly snapshots: CustomerSnapshots,
    private readonly writer: CustomerWriter,
    private readonly afterCommit: AfterCommit,
  ) {}

  /**
   * Looks, then writes everything in one transaction. Throws when the provider or the database is out of
   * reach; nothing has changed then and it can be repeated. What the provider has to be told follows, so that
   * its refusal delays nothing else. Starts nothing after `limit`.
   */
  async run(claimed: ClaimedWork, limit?: AbortSignal): Promise<void> {
    const customerId = await this.snapshots.customerBehind(claimed.customerId)
    limit?.throwIfAborted()
    if (customerId === null || !(await this.snapshots.isOurs(customerId))) return this.dismiss(claimed)
    const update = await this.sync(customerId, null, claimed, limit)
    if (!update) return
    await this.afterCommit.updateProvider(update)
    const next = await this.sync(customerId, 'event', claimed, limit)
    if (next && wasIgnored(update, next))
      throw new Error('The provider accepted an update but did not apply it')
    // Somebody joined or left in the meantime.
    if (next) await this.queue.release(claimed)
  }

  /** The same at once, for a customer who is waiting in a browser. */
  async syncNow(customerId: string): Promise<void> {
    await this.sync(customerId, 'return', OUT_OF_TURN)
  }

  /** Returns what the provider has to be told. */
  private async sync(
    customerId: string,
    cause: Cause | null,
    claimed: ClaimedWork | null,
    limit?: AbortSignal,
  ): Promise<ProviderUpdate | null> {
    const waitsAs = claimed?.customerId ?? customerId
    const look = await this.snapshots.fetch(customerId, waitsAs, claimed?.isRoutine ?? false)
    limit?.throwIfAborted()
    const written = await this.database.transaction(async transaction => {
      const written = await this.writer.write(transaction, look, cause)
      if (claimed && !written.update) await this.queue.finish(transaction, claimed)
      return written
    })
    await this.afterCommit.publish(written, claimed === OUT_OF_TURN)
    limit?.throwIfAborted()
    return written.update
  }

  /** The customer is not ours, so the provider need not be asked. */
  private async dismiss(claimed: ClaimedWork): Promise<void> {
    await this.database.transaction(async transaction => {
      await this.writer.dismiss(transaction, claimed.customerId)
      await this.queue.finish(transaction, claimed)
    })
  }
}
