import { Injectable } from '@nestjs/common'
import { and, asc, isNotNull, isNull, lte } from 'drizzle-orm'
import { Clock } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { ownershipTransfers } from '../../database/schema.js'
import type { PendingTransfer } from '../../users/pending-transfers.js'

/** Transfers that need work. */
@Injectable()
export class DueTransfers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Accepted, and the wait is over. Some may have to wait longer, while an address can still come back. */
  ready(): Promise<PendingTransfer[]> {
    const { acceptedAt, readyAt } = ownershipTransfers
    return this.list(and(isNotNull(acceptedAt), lte(readyAt, this.clock.now())))
  }

  /** Not accepted in time. */
  expired(): Promise<PendingTransfer[]> {
    const { acceptedAt, expiresAt } = ownershipTransfers
    return this.list(and(isNull(acceptedAt), lte(expiresAt, this.clock.now())))
  }

  private list(which: ReturnType<typeof and>): Promise<PendingTransfer[]> {
    return this.database.run(db =>
      db.select().from(ownershipTransfers).where(which).orderBy(asc(ownershipTransfers.readyAt)),
    )
  }
}
