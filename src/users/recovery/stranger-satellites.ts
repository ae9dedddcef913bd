import { Injectable } from '@nestjs/common'
import { and, asc, eq } from 'drizzle-orm'
import type { Actor } from '../../audit/actor.js'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { isAnyOf } from '../../database/is-any-of.js'
import { satellites } from '../../database/schema/satellites.js'
import { auditRowsSince } from './audit-rows-since.js'

/** Satellites that somebody may have activated with a login that was not theirs. */
@Injectable()
export class StrangerSatellites {
  constructor(private readonly auditLog: AuditLog) {}

  /**
   * Suspends the active satellites of the account that any of these users has activated since then, also those that
   * were added or suspended before; returns their origins. The account must be locked, so that none is activated
   * meanwhile. Which ones is read from the audit log, because a satellite does not say who has activated it.
   */
  async suspendSince(
    transaction: Db,
    accountId: string,
    { users, since }: { readonly users: ReadonlySet<string>; readonly since: Date },
    actor: Actor,
  ): Promise<string[]> {
    const activated = new Set<string>()
    const rows = auditRowsSince(transaction, { accountId, action: 'satellite.verify', since })
    for await (const { userId, detail } of rows)
      if (userId && users.has(userId) && typeof detail.satellite === 'string') activated.add(detail.satellite)
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
      const detail = { satellite: id, origin, suspendedBy: 'account', reason: 'recovered' }
      return auditEvent({ ...actor, accountId }, 'satellite.suspend', detail)
    })
    await this.auditLog.recordAll(transaction, events)
    return found.map(({ origin }) => origin)
  }
}
