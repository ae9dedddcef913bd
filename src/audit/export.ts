import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { Injectable } from '@nestjs/common'
import { eq, inArray, max, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditChain, auditLog } from '../platform/database/schema/audit.js'
import { ApiError } from '../platform/errors/api-error.js'
import {
  type AuditRow,
  AuditSealer,
  canonicalRow,
  GENESIS_HASH,
  type IdRange,
  MAX_ROWS_AWAITED,
} from './chain.js'
import { ocsfEvent, type RowToExport } from './ocsf.js'
import { type AuditFilter, CLOCKS_FAR_APART_MS, idsBetween, scanAuditLog, selectionOf } from './scan.js'

/** How the audit log is exported: our own JSON lines, or OCSF events, one per line. */
export const EXPORT_FORMATS = ['jsonl', 'ocsf'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Bounds how much of an export is held in memory, however long it is. */
const ROWS_A_PAGE = 500

const before = alias(auditChain, 'before')

/** What is exported. */
interface ExportOptions {
  /** Null exports the rows of all accounts, and those of none: for operators only. */
  readonly accountId: string | null
  readonly filter: AuditFilter
  readonly format: ExportFormat
  /** Asked before each step of the scan: the export ends early once the client is gone. */
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
  private idsOf(filter: AuditFilter): Promise<IdRange> {
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

/** Most exports take less. */
const RETRY_AFTER_SECONDS = 10

/** The exports that this process is sending: one at a time for each account or user. */
@Injectable()
export class RunningExports {
  private readonly running = new Set<string>()

  /**
   * What `start` returns, as a stream for `response`. `start` gets a function that says whether the client is still
   * there: a scan that finds nothing sends nothing, so it would not notice. Throws `TOO_MANY_ATTEMPTS` (429) while
   * another export of the same account or user (`id`) is running.
   */
  async open(
    id: string,
    response: ServerResponse,
    start: (isWanted: () => boolean) => Promise<AsyncIterable<string>>,
  ): Promise<Readable> {
    if (this.running.has(id)) {
      throw new ApiError('TOO_MANY_ATTEMPTS', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
    }
    this.running.add(id)
    const end = () => this.running.delete(id)
    try {
      const pieces = await start(() => !response.destroyed)
      // A stream closes once its iterator has returned, whether it was read to the end, failed or was left.
      return Readable.from(pieces, { highWaterMark: 1 }).once('close', end)
    } catch (error) {
      end()
      throw error
    }
  }
}

/** The same pages. Resolves once the first has been read, so that until then a failure is still an error response. */
export async function begun<T>(pages: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  return startingWith(await pages.next(), pages)
}

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}
