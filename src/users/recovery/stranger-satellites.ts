import { Injectable } from '@nestjs/common'
import { and, asc, eq } from 'drizzle-orm'
import type { Actor } from '../../audit/actor.js'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { isAnyOf } from '../../database/is-any-of.js'
import { satellites } from '../../database/schema/satellites.js'
import { RECOVERED } from './reach.js'

/** Satellites that somebody may have activated with a login that was not theirs. */
@Injectable()
export class StrangerSatellites {
  constructor(private readonly auditLog: AuditLog) {}

  /**
   * Suspends those of these satellites of the account that are active, also if they were added or suspended before;
   * returns their origins. The account must be locked, so that none is activated meanwhile.
   */
  async suspend(
    transaction: Db,
    accountId: string,
    activated: ReadonlySet<string>,
    actor: Actor,
  ): Promise<string[]> {
    const isActive = and(eq(satellites.accountId, accountId), eq(satellites.state, 'active'))
    // All are locked before the first is changed: after that, other changes of satellites wait for this transaction.
    const found = await transaction
      .select({ id: satellites.id, origin: satellites.origin })
      .from(satellites)
      .where(and(isAnyOf(satellites.id, [...activated]), isActive))
      .orderBy(asc(satellites.id))
      .for('update')
    if (found.length === 0) return []
    const ids = found.map(({ id }) => id)
    await transaction
      .update(satellites)
      .set({ state: 'suspended', suspendedBy: 'account' })
      .where(isAnyOf(satellites.id, ids))
    const events = found.map(({ id, origin }) => {
      const detail = { satellite: id, origin, suspendedBy: 'account', reason: RECOVERED }
      return auditEvent({ ...actor, accountId }, 'satellite.suspend', detail)
    })
    await this.auditLog.recordAll(transaction, events)
    return found.map(({ origin }) => origin)
  }
}
