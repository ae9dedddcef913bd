import { Injectable } from '@nestjs/common'
import { and, asc, eq, max, or, type SQL, sql } from 'drizzle-orm'
import type { AuditRow, IdRange } from '../audit/chain.js'
import { begun } from '../audit/export.js'
import { type AuditSelection, type Scanned, scanAuditLog } from '../audit/scan.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { knownDevices } from '../platform/database/schema/anomalies.js'
import { auditLog } from '../platform/database/schema/audit.js'
import {
  factorResets,
  passkeys,
  recoveryCodes,
  rememberedDevices,
  totpFactors,
} from '../platform/database/schema/factors.js'
import { oneTimeTokens } from '../platform/database/schema/platform.js'
import { Clock } from '../platform/time.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { SessionStore } from '../sessions/session-store.js'
import { AccountService } from './account.js'
import { type Profile, ProfileService } from './profile.js'

/** Bounds how much of an export is held in memory, however long it is. */
const ROWS_A_PAGE = 500

/** Whose rows of the audit log are read, and how far. */
interface RecordScope {
  readonly profile: Profile
  /** The id of the last row. */
  readonly last: number
  /** Asked before each page: there are no more when it says no. */
  readonly isWanted: () => boolean
}

/**
 * Everything about a user as one JSON object (GDPR articles 15 and 20), without secrets and without hashes of
 * secrets.
 */
@Injectable()
export class DataExport {
  constructor(
    private readonly profiles: ProfileService,
    private readonly account: AccountService,
    private readonly store: SessionStore,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * The export as chunks of text, one page of the audit log each. Resolves once everything up to the first of those
   * pages has been read, so that an outage up to then is still an error response; a later outage makes the
   * iteration throw. `isWanted` is asked before each page: the export ends early when its client has gone.
   * The export itself is logged. Throws `TOO_BUSY` (503) instead of the first page.
   */
  async start(actor: SessionActor, isWanted: () => boolean): Promise<AsyncIterable<string>> {
    const profile = await this.profiles.find(actor)
    const scope = { profile, last: await this.recordBegin(actor), isWanted }
    const head = await this.head(profile, actor.permissions.accountSettings)
    const concerning = { accountId: null, user: profile.userId }
    return this.pieces(head, await begun(this.pages(concerning, scope, false)), scope)
  }

  /** Returns the id of the last row of the audit log, where the export ends. */
  private async recordBegin(actor: SessionActor): Promise<number> {
    await this.database.run(db => this.auditLog.record(db, auditEvent(actor, 'person.export')))
    // Includes failed logins that are still being written.
    await this.auditLog.flush()
    const [row] = await this.database.run(db => db.select({ last: max(auditLog.id) }).from(auditLog))
    return row?.last ?? 0
  }

  private async head(profile: Profile, mayManageAccount: boolean): Promise<object> {
    const now = this.clock.now()
    return {
      exportedAt: now,
      profile,
      account: await this.accountOf(profile, mayManageAccount),
      sessions: await this.store.listByUser(profile.userId, now),
      factors: await this.database.run(db => factorsOf(db, profile)),
      familiarClients: await this.database.run(db => familiarClientsOf(db, profile)),
      pendingLinks: await this.database.run(db => pendingLinksOf(db, profile)),
    }
  }

  /** Only users who may manage the account get its pending changes. */
  private async accountOf({ accountId }: Profile, mayManageAccount: boolean): Promise<object> {
    const account = await this.account.read({ accountId })
    const { name, createdAt } = account
    return mayManageAccount ? account : { accountId, name, createdAt }
  }

  private async *pieces(
    head: object,
    concerning: AsyncIterable<AuditRow[]>,
    scope: RecordScope,
  ): AsyncGenerator<string> {
    yield JSON.stringify(head).slice(0, -1)
    yield* list('auditLog', concerning, row => withoutOthers(row, scope.profile))
    yield* list('actions', this.pages(doneBy(scope.profile), scope, true), row => row)
    yield '}\n'
  }

  /** Pages of the log rows of the selection, oldest first. */
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

/** What the user did to others, as managers do. */
function doneBy({ userId, accountId }: Profile): AuditSelection {
  const isTheirs = sql`${auditLog.detail} ->> 'by' = ${userId}`
  const isOthers = sql`${auditLog.userId} is distinct from ${userId}::uuid`
  return { accountId, where: and(isTheirs, isOthers) as SQL }
}

async function* list(
  name: string,
  pages: AsyncIterable<AuditRow[]>,
  shown: (row: AuditRow) => object,
): AsyncGenerator<string> {
  yield `,"${name}":[`
  let separator = ''
  for await (const rows of pages) {
    yield separator + rows.map(row => JSON.stringify(shown(row))).join(',')
    separator = ','
  }
  yield ']'
}

/** A manager's whereabouts when they changed this user are the manager's own data. */
function withoutOthers(row: AuditRow, { userId }: Profile): object {
  const { by } = row.detail
  if (by === undefined || by === userId) return row
  const { ip, userAgent, origin, requestId, ...rest } = row
  return rest
}

/** What the user has logged in from. Device ids are secrets, so only their times are included. */
function familiarClientsOf(db: Db, { userId }: Profile) {
  const { kind, firstSeen, lastSeen } = knownDevices
  const value = sql<string | null>`case when ${kind} <> 'device id' then ${knownDevices.value} end`
  return db
    .select({ kind, value, firstSeen, lastSeen })
    .from(knownDevices)
    .where(eq(knownDevices.userId, userId))
    .orderBy(asc(firstSeen))
}

/** What the user logs in with. */
async function factorsOf(db: Db, { userId }: Profile) {
  return {
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
  }
}

/** Links and invitations that were mailed to the user or concern them. */
function pendingLinksOf(db: Db, { userId, email: address }: Profile) {
  const { purpose, email, createdAt, expiresAt } = oneTimeTokens
  return db
    .select({ purpose, email, createdAt, expiresAt })
    .from(oneTimeTokens)
    .where(or(eq(oneTimeTokens.userId, userId), eq(email, address)))
    .orderBy(asc(createdAt))
}
