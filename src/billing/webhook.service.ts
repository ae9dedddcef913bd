import { Injectable } from '@nestjs/common'
import { eq, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { providerEvents } from '../database/schema.js'
import type { Client } from '../http/client.js'
import { type ProviderLook, ProviderLooks } from './provider-look.js'
import { SubscriptionCache } from './subscription-cache.js'
import { SubscriptionKeeper } from './subscription-keeper.js'

/** Takes in the provider's events, each once. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly looks: ProviderLooks,
    private readonly keeper: SubscriptionKeeper,
    private readonly cache: SubscriptionCache,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Stores a verified event together with its effect, in one transaction; returns when that is committed. An event
   * that is there already changes nothing. Throws when the provider or the database is out of reach: the provider
   * sends the event again.
   */
  async take(event: Stripe.Event, client: Client): Promise<void> {
    const { isKnown, now } = await this.begin(event.id)
    if (isKnown) return
    const look = await this.looks.lookAt(event)
    const accountId = await this.database.transaction(transaction =>
      this.apply(transaction, event, look, now, client),
    )
    if (accountId) await this.cache.drop(accountId)
  }

  /** For the audit log: something that was not the provider. */
  noteRefused(client: Client): void {
    this.auditLog.note({ action: 'webhook', outcome: 'refused', client })
  }

  /** The database's time, which all replicas share, from before the provider is asked. */
  private async begin(eventId: string): Promise<{ isKnown: boolean; now: Date }> {
    const known = sql<boolean>`exists (select 1 from ${providerEvents} where ${eq(providerEvents.id, eventId)})`
    const [row] = await this.database.run(db =>
      db.select({ known, now: sql<string>`clock_timestamp()::text` }).from(sql`(select 1) as one`),
    )
    return { isKnown: row?.known === true, now: new Date(row?.now as string) }
  }

  /** The account whose subscription changed; null when none did. */
  private async apply(
    transaction: Db,
    event: Stripe.Event,
    look: ProviderLook,
    now: Date,
    client: Client,
  ): Promise<string | null> {
    const row = { id: event.id, type: event.type, createdAt: new Date(event.created * 1000), receivedAt: now }
    const inserted = await transaction.insert(providerEvents).values(row).onConflictDoNothing().returning()
    if (inserted.length === 0) return null
    const { accountId, effect } = await this.keeper.keep(transaction, look, now)
    await transaction.update(providerEvents).set({ effect }).where(eq(providerEvents.id, event.id))
    await this.auditLog.record(transaction, {
      action: 'webhook',
      outcome: 'ok',
      ...(accountId && { accountId }),
      client,
      detail: { event: event.id, type: event.type, effect },
    })
    return accountId
  }
}
