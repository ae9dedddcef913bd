import { Injectable } from '@nestjs/common'
import { auditEvent, SERVICE } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { type Earlier, ImportReview } from './import-review.js'
import { ImportWriter } from './import-writer.js'
import type { NumberedUser } from './imported-user.js'
import type { RefusedLine } from './owner-check.js'

export interface BatchOutcome {
  readonly added: number
  /** Users whose e-mail address was already taken, or is still reserved for its former user. They are left unchanged. */
  readonly alreadyThere: number
  readonly refused: readonly RefusedLine[]
}

/** Writes many users at once. */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly review: ImportReview,
    private readonly writer: ImportWriter,
  ) {}

  /** Writes in one transaction with its audit row; safe to repeat. */
  write(batch: readonly NumberedUser[]): Promise<BatchOutcome> {
    return this.database.transaction(async transaction => {
      const { accepted, refused } = await this.review.of(transaction, batch, NO_EARLIER)
      const added = await this.writer.add(transaction, accepted)
      const alreadyThere = batch.length - added - refused.length
      if (added > 0) await this.record(transaction, batch, added, alreadyThere)
      return { added, alreadyThere, refused }
    })
  }

  /**
   * What {@link write} would do after the batches already rehearsed with the same `earlier`. Changes only
   * `earlier`.
   */
  async rehearse(batch: readonly NumberedUser[], earlier: Earlier): Promise<BatchOutcome> {
    const { accepted, refused } = await this.database.transaction(db => this.review.of(db, batch, earlier))
    for (const { user } of accepted) {
      earlier.emails.add(user.email)
      if (user.role === 'owner' && user.account.kind !== 'own') earlier.owned.add(user.account.id)
    }
    return {
      added: accepted.length,
      alreadyThere: batch.length - accepted.length - refused.length,
      refused,
    }
  }

  private async record(
    transaction: Db,
    batch: readonly NumberedUser[],
    added: number,
    alreadyThere: number,
  ): Promise<void> {
    const lines = { from: batch.at(0)?.line, to: batch.at(-1)?.line }
    const event = auditEvent(SERVICE, 'user.import', { added, alreadyThere, lines })
    await this.auditLog.record(transaction, event)
  }
}

const NO_EARLIER: Earlier = { emails: new Set(), owned: new Set() }
