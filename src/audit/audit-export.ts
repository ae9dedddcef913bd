import { Injectable } from '@nestjs/common'
import { eq, inArray, max, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../platform/audit/actor.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditChain, auditLog } from '../platform/database/schema/audit.js'
import type { AuditFilterQuery } from './audit.dto.js'
import { CLOCKS_FAR_APART_MS, idsBetween, selectionOf } from './audit-filter.js'
import { type AuditRow, canonicalRow, GENESIS_HASH } from './audit-hash.js'
import { scanAuditLog } from './audit-scan.js'
import { AuditSealer, MAX_ROWS_AWAITED } from './audit-sealer.js'
import type { ExportFormat } from './export-format.js'
import type { IdRange } from './id-range.js'
import { ocsfEvent, type RowToExport } from './ocsf/ocsf-event.js'
import { begun } from './running-exports.js'

/** Bounds how much of an export is held in memory, however long it is. */
const ROWS_A_PAGE = 500

const before = alias(auditChain, 'before')

/** What is exported. */
export interface ExportOptions {
  /** Null exports the rows of all accounts, and those of none: for operators only. */
  readonly accountId: string | null
  readonly filter: AuditFilterQuery
  readonly format: ExportFormat
  /** Asked before each step of the scan: the export ends early when nobody wants it any more. */
  readonly isWanted?: () => boolean
}

/** The audit log as lines of JSON, each with its seal, so that it can be verified elsewhere. */
@Injectable()
export class AuditExport {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly sealer: AuditSealer,
  ) {}

  /**
   * The rows up to now, oldest first, as chunks of text of many lines each. Resolves once the first chunk has
   * been read, so that an outage up to then is still an error response; a later outage makes the iteration throw.
   * The export itself is logged, and its row is the last one of an export without a filter.
   */
  async start(actor: Actor, options: ExportOptions): Promise<AsyncIterable<string>> {
    const { filter, format } = options
    const detail = { ...filter, ...(format !== 'jsonl' && { format }) }
    const event = auditEvent(actor, 'audit.export', detail)
    await this.database.run(db => this.auditLog.record(db, event))
    await this.sealer.seal(MAX_ROWS_AWAITED)
    return begun(this.pages(options, await this.idsOf(filter)))
  }

  /** Those up to now. */
  private idsOf(filter: AuditFilterQuery): Promise<IdRange> {
    return this.database.run(async db => {
      const [row] = await db.select({ last: max(auditLog.id) }).from(auditLog)
      const { after, to } = await idsBetween(db, filter, CLOCKS_FAR_APART_MS)
      return { after, to: Math.min(to, row?.last ?? 0) }
    })
  }

  private async *pages(
    { accountId, filter, format, isWanted = () => true }: ExportOptions,
    range: IdRange,
  ): AsyncGenerator<string, void> {
    const lineOf = LINES[format]
    const selection = selectionOf(accountId, filter)
    let rest: IdRange | null = range
    for (let isContinuation = false; rest && isWanted(); isContinuation = true) {
      const step = { range: rest, order: 'oldest first', limit: ROWS_A_PAGE } as const
      const read = async (db: Db) => {
        const { rows, rest } = await scanAuditLog(db, selection, step)
        return { rows: await withSeals(db, rows), rest }
      }
      const page = await this.database.report(read, { isContinuation })
      if (page.rows.length > 0) yield page.rows.map(row => `${lineOf(row)}\n`).join('')
      rest = page.rest
    }
  }
}

/** With their seals, and the current addresses of users who still belong to the row's account. */
async function withSeals(db: Db, rows: readonly AuditRow[]): Promise<RowToExport[]> {
  const seals = await sealsOf(db, rows)
  const users = await usersIn(db, rows)
  return rows.map(row => {
    const user = row.userId === null ? undefined : users.get(row.userId)
    const email = user && user.accountId === row.accountId ? user.email : null
    return { row, email, seal: seals.get(row.id) ?? null }
  })
}

async function sealsOf(db: Db, rows: readonly AuditRow[]) {
  const { position, hash, auditId } = auditChain
  const ids = rows.map(({ id }) => id)
  const seals = await db
    .select({ auditId, position, previous: before.hash, hash })
    .from(auditChain)
    .leftJoin(before, eq(before.position, sql`${position} - 1`))
    .where(inArray(auditId, ids))
  return new Map(
    seals.map(({ auditId, previous, ...seal }) => [auditId, { ...seal, previous: previous ?? GENESIS_HASH }]),
  )
}

async function usersIn(db: Db, rows: readonly AuditRow[]) {
  const ids = [...new Set(rows.flatMap(({ userId }) => userId ?? []))]
  const { id, email, accountId } = users
  const found = await db.select({ id, email, accountId }).from(users).where(inArray(id, ids))
  return new Map(found.map(user => [user.id, user]))
}

const LINES: Readonly<Record<ExportFormat, (exported: RowToExport) => string>> = {
  /** `row` is in the canonical form that the seal covers. */
  jsonl: ({ row, email, seal }) =>
    `{"row":${canonicalRow(row)},"email":${JSON.stringify(email)},"seal":${JSON.stringify(seal)}}`,
  ocsf: exported => JSON.stringify(ocsfEvent(exported)),
}
