import { Injectable } from '@nestjs/common'
import { and, asc, eq, max, or, sql } from 'drizzle-orm'
import type { AuditRow, IdRange } from '../../audit/chain.js'
import { type AuditSelection, type Scanned, scanAuditLog } from '../../audit/scan.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { knownDevices } from '../../platform/database/schema/anomalies.js'
import { auditLog } from '../../platform/database/schema/audit.js'
import {
  factorResets,
  passkeys,
  recoveryCodes,
  rememberedDevices,
  totpFactors,
} from '../../platform/database/schema/factors.js'
import { oneTimeTokens } from '../../platform/database/schema/platform.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { Profile } from './profile.dto.js'

/** Bounds how much of an export is held in memory, however long it is. */
const ROWS_A_PAGE = 500

/** Whose rows of the audit log are read, and how far. */
export interface RecordScope {
  readonly profile: Profile
  /** The id of the last row. */
  readonly last: number
  /** Asked before each page: there are no more when it says no. */
  readonly isWanted: () => boolean
}

/** What the database holds about a user, besides the profile. Contains no secrets and no hashes of secrets. */
@Injectable()
export class UserRecords {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Records the export and returns the id of the last row of the audit log, where the export ends. */
  async begin(actor: SessionActor): Promise<number> {
    await this.database.run(db => this.auditLog.record(db, auditEvent(actor, 'person.export')))
    // Includes failed logins that are still being written.
    await this.auditLog.flush()
    const [row] = await this.database.run(db => db.select({ last: max(auditLog.id) }).from(auditLog))
    return row?.last ?? 0
  }

  /** What the user has logged in from. Device ids are secrets, so only their times are included. */
  familiarClients({ userId }: Profile) {
    const { kind, firstSeen, lastSeen } = knownDevices
    const value = sql<string | null>`case when ${kind} <> 'device id' then ${knownDevices.value} end`
    return this.database.run(db =>
      db
        .select({ kind, value, firstSeen, lastSeen })
        .from(knownDevices)
        .where(eq(knownDevices.userId, userId))
        .orderBy(asc(firstSeen)),
    )
  }

  /** What the user logs in with, without the secrets. */
  factors({ userId }: Profile) {
    return this.database.run(async db => ({
      totp: await db
        .select({ createdAt: totpFactors.createdAt, confirmedAt: totpFactors.confirmedAt })
        .from(totpFactors)
        .where(eq(totpFactors.userId, userId)),
      passkeys: await db
        .select({
          name: passkeys.name,
          rpId: passkeys.rpId,
          transports: passkeys.transports,
          isBackedUp: passkeys.isBackedUp,
          createdAt: passkeys.createdAt,
          lastUsedAt: passkeys.lastUsedAt,
        })
        .from(passkeys)
        .where(eq(passkeys.userId, userId)),
      recoveryCodes: await db
        .select({ createdAt: recoveryCodes.createdAt, usedAt: recoveryCodes.usedAt })
        .from(recoveryCodes)
        .where(eq(recoveryCodes.userId, userId)),
      rememberedDevices: await db
        .select({
          name: rememberedDevices.name,
          createdAt: rememberedDevices.createdAt,
          lastUsedAt: rememberedDevices.lastUsedAt,
          expiresAt: rememberedDevices.expiresAt,
        })
        .from(rememberedDevices)
        .where(eq(rememberedDevices.userId, userId)),
      resets: await db
        .select({ requestedAt: factorResets.requestedAt, resetAt: factorResets.resetAt })
        .from(factorResets)
        .where(eq(factorResets.userId, userId)),
    }))
  }

  /** Links and invitations that were mailed to the user or concern them. */
  pendingLinks({ userId, email: address }: Profile) {
    const { purpose, email, createdAt, expiresAt } = oneTimeTokens
    return this.database.run(db =>
      db
        .select({ purpose, email, createdAt, expiresAt })
        .from(oneTimeTokens)
        .where(or(eq(oneTimeTokens.userId, userId), eq(email, address)))
        .orderBy(asc(createdAt)),
    )
  }

  /** Pages of the log rows that concern the user, oldest first. Throws `TOO_BUSY` (503) instead of the first. */
  concerning(scope: RecordScope): AsyncGenerator<AuditRow[]> {
    return this.pages({ accountId: null, user: scope.profile.userId }, scope, false)
  }

  /** Pages of what the user did to others, as managers do; read after `concerning`. */
  doneBy(scope: RecordScope): AsyncGenerator<AuditRow[]> {
    const { userId, accountId } = scope.profile
    const isTheirs = sql`${auditLog.detail} ->> 'by' = ${userId}`
    const isOthers = sql`${auditLog.userId} is distinct from ${userId}::uuid`
    return this.pages({ accountId, where: and(isTheirs, isOthers) }, scope, true)
  }

  private async *pages(
    selection: AuditSelection,
    { last, isWanted }: RecordScope,
    isContinued: boolean,
  ): AsyncGenerator<AuditRow[]> {
    let rest: IdRange | null = { after: 0, to: last }
    for (let isContinuation = isContinued; rest && isWanted(); isContinuation = true) {
      const step = { range: rest, order: 'oldest first', limit: ROWS_A_PAGE } as const
      const page: Scanned = await this.database.report(db => scanAuditLog(db, selection, step), {
        isContinuation,
      })
      if (page.rows.length > 0) yield page.rows
      rest = page.rest
    }
  }
}
