import { Injectable } from '@nestjs/common'
import { and, asc, eq } from 'drizzle-orm'
import { type Actor, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { satellites } from '../../platform/database/schema/satellites.js'
import { isAnyOf } from '../../platform/database/sql.js'
import { RECOVERED } from './reach.js'

/** Satellites that somebody may have activated with a login that was not theirs. */
@Injectable()
export class StrangerSatellites {
  constructor(private readonly auditLog: AuditLog) {}

  /**
   * Suspends those of these satellites of the account that are active, also if they were added or suspended before;
   * returns their origins. Of the others it is only recorded: whoever activates them has seen it, and no later recovery
   * suspends them again. The account must be locked, so that none is activated meanwhile.
   */
  async suspend(
    transaction: Db,
    accountId: string,
    activated: ReadonlySet<string>,
    actor: Actor,
  ): Promise<string[]> {
    const isIts = and(eq(satellites.accountId, accountId), isAnyOf(satellites.id, [...activated]))
    // All are locked before the first is changed: after that, other changes of satellites wait for this transaction.
    const found = await transaction
      .select({ id: satellites.id, origin: satellites.origin, state: satellites.state })
      .from(satellites)
      .where(isIts)
      .orderBy(asc(satellites.id))
      .for('update')
    if (found.length === 0) return []
    const active = found.filter(({ state }) => state === 'active')
    await transaction
      .update(satellites)
      .set({ state: 'suspended', suspendedBy: 'account' })
      .where(
        isAnyOf(
          satellites.id,
          active.map(({ id }) => id),
        ),
      )
    const events = found.map(({ id, origin, state }) => {
      const effect = state === 'active' ? { suspendedBy: 'account' } : { was: state }
      const detail = { satellite: id, origin, ...effect, reason: RECOVERED }
      return auditEvent({ ...actor, accountId }, 'satellite.suspend', detail)
    })
    await this.auditLog.recordAll(transaction, events)
    return active.map(({ origin }) => origin)
  }
}
