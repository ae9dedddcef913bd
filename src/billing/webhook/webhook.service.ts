import { Injectable } from '@nestjs/common'
import type Stripe from 'stripe'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { ProviderKey } from '../provider/provider-key.js'
import { BillingInbox } from '../sync/billing-inbox.js'
import { BillingWorker } from '../sync/billing-worker.js'

/** Receives the provider's events, each once. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly inbox: BillingInbox,
    private readonly worker: BillingWorker,
    private readonly auditLog: AuditLog,
    private readonly key: ProviderKey,
  ) {}

  /**
   * Stores a verified event; it is committed when this returns. Its effects follow, even if this process
   * dies. Throws `WRONG_MODE` (400) for a test-mode event where money is real, and the reverse.
   */
  async take(event: Stripe.Event, client: Client): Promise<void> {
    if (event.livemode !== undefined && event.livemode !== this.key.isLive) {
      this.auditLog.note({
        action: 'webhook',
        outcome: 'refused',
        client,
        detail: { livemode: event.livemode },
      })
      throw new ApiError('WRONG_MODE')
    }
    if (await this.inbox.store(event)) this.worker.nudge()
  }

  /** For the audit log: somebody other than the provider sent something. */
  noteRefused(client: Client): void {
    this.auditLog.note({ action: 'webhook', outcome: 'refused', client })
  }
}
