import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, lte, max, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Actor } from '../audit/actor.js'
import { auditEvent } from '../audit/audit-event.js'
import { canonicalRow, GENESIS_HASH } from '../audit/audit-hash.js'
import { AuditLog } from '../audit/audit-log.js'
import { AuditSealer } from '../audit/audit-sealer.js'
import { ocsfEvent, type RowToExport } from '../audit/ocsf/ocsf-event.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { auditChain, auditLog, users } from '../database/schema.js'
import type { AuditFilterQuery } from './audit.dto.js'
import { isListed } from './audit-trail.js'
import type { ExportFormat } from './export-format.js'

/** How much of an export is held in memory, however long it is. */
const ROWS_A_PAGE = 500

const before = alias(auditChain, 'before')

/** What is exported. */
export interface ExportOptions {
  /** Null exports the rows of all accounts, and those of none: for operators alone. */
  readonly accountId: string | null
  readonly filter: AuditFilterQuery
  readonly format: ExportFormat
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
   * The rows up to now, oldest first, as pieces of text of many lines each. Resolves once the first
   * piece has been read, so that an outage until then is still an error response; a later outage makes the
   * pieces throw. The export itself is logged, and its row is the last one of an export without a filter.
   */
  async start(actor: Actor, options: ExportOptions): Promise<AsyncIterable<string>> {
    const { filter, format } = options
    const detail = { ...filter, ...(format !== 'jsonl' && { format }) }
    const event = auditEvent(actor, 'audit.export', detail)
    await this.database.run(db => this.auditLog.record(db, event))
    await this.sealer.seal()
    const pages = this.pages(options, await this.lastId())
    const first = await pages.next()
    return first.done ? none() : startingWith(first.value, pages)
  }

  private async lastId(): Promise<number> {
    const [row] = await this.database.run(db => db.select({ last: max(auditLog.id) }).from(auditLog))
    return row?.last ?? 0
  }

  private async *pages(options: ExportOptions, last: number): AsyncGenerator<string, void> {
    const lineOf = LINES[options.format]
    for (let after = 0; ; ) {
      const rows = await this.read(options, after, last)
      if (rows.length > 0) yield rows.map(row => `${lineOf(withSeal(row))}\n`).join('')
      if (rows.length < ROWS_A_PAGE) return
      after = rows.at(-1)?.row.id as number
    }
  }

  private read({ accountId, filter }: ExportOptions, after: number, last: number) {
    const { position, hash } = auditChain
    const page = (db: Db) =>
      db
        .select({ row: auditLog, email: users.email, position, previous: before.hash, hash })
        .from(auditLog)
        .leftJoin(users, and(eq(users.id, auditLog.userId), eq(users.accountId, auditLog.accountId)))
        .leftJoin(auditChain, eq(auditChain.auditId, auditLog.id))
        .leftJoin(before, eq(before.position, sql`${position} - 1`))
        .where(and(isListed(accountId, filter), gt(auditLog.id, after), lte(auditLog.id, last)))
        .orderBy(asc(auditLog.id))
        .limit(ROWS_A_PAGE)
    return this.database.report(page, { isBegun: after > 0 })
  }
}

type ExportedRow = Awaited<ReturnType<AuditExport['read']>>[number]

function withSeal({ row, email, position, previous, hash }: ExportedRow): RowToExport {
  const seal = position === null ? null : { position, previous: previous ?? GENESIS_HASH, hash: hash ?? '' }
  return { row, email, seal }
}

const LINES: Readonly<Record<ExportFormat, (exported: RowToExport) => string>> = {
  /** `row` is in the canonical form that the seal covers. */
  jsonl: ({ row, email, seal }) =>
    `{"row":${canonicalRow(row)},"email":${JSON.stringify(email)},"seal":${JSON.stringify(seal)}}`,
  ocsf: exported => JSON.stringify(ocsfEvent(exported)),
}

async function* none(): AsyncGenerator<string> {}

async function* startingWith(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
