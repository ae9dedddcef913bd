import { IsInt } from 'class-validator'
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  lt,
  lte,
  max,
  min,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { AuditAction, AuditOutcome } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { rowsOf } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { WITHOUT_SORTING } from '../platform/database/sql.js'
import { decodeCursor, encodeCursor, type Page, PageCursor, PageLimit } from '../platform/http/paging.js'
import { UUID } from '../platform/http/request.js'
import { isCalled } from '../users/users.js'
import { ALL_IDS, type AuditRow, type IdRange } from './chain.js'

/** Which rows of the log; all conditions must hold. */
export interface AuditSelection {
  /** Null for the rows of all accounts, and those of none. */
  readonly accountId: string | null
  readonly user?: string
  readonly action?: string
  readonly outcome?: string
  /** Only what operators did, in all accounts; one index has just these rows. */
  readonly isByOperator?: true
  /** A condition on `auditLog` that no index answers. */
  readonly where?: SQL
}

/** One step of a scan. */
interface ScanStep {
  readonly range: IdRange
  readonly order: 'newest first' | 'oldest first'
  /** How many rows it returns at most. */
  readonly limit: number
}

/** What a step has found. */
export interface Scanned {
  readonly rows: AuditRow[]
  /** The ids that are left to look at; null when none are. */
  readonly rest: IdRange | null
}

/** How many rows a step reads, whether they match or not: some milliseconds. */
const ROWS_A_STEP = 5_000

/**
 * The next rows of a selection in order of id. A step reads a limited number of rows of one index, so it may
 * return fewer than `limit`, even none, while there is a `rest`.
 */
export async function scanAuditLog(db: Db, selection: AuditSelection, step: ScanStep): Promise<Scanned> {
  await db.execute(WITHOUT_SORTING)
  const rows = await scanQuery(db, selection, step)
  const last = rows.length < step.limit ? await endOf(db, selection, step) : rows.at(-1)?.id
  return { rows, rest: last == null ? null : restOf(step, last) }
}

function scanQuery(db: Db, selection: AuditSelection, step: ScanStep) {
  return db
    .select(getTableColumns(auditLog))
    .from(nextRows(db, selection, step))
    .where(and(matches(selection), gt(auditLog.id, step.range.after), lte(auditLog.id, step.range.to)))
    .orderBy(...inOrder(selection, step))
    .limit(step.limit)
}

/** Aliased as the table itself, so that the same conditions work on either. */
function nextRows(db: Db, selection: AuditSelection, step: ScanStep) {
  return db
    .select()
    .from(auditLog)
    .where(isNext(selection, step))
    .orderBy(...inOrder(selection, step))
    .limit(ROWS_A_STEP)
    .as('audit_log')
}

/** The last row that the step has read, whether it matches or not; null when there are no more after it. */
async function endOf(db: Db, selection: AuditSelection, step: ScanStep): Promise<number | null> {
  const read = nextRows(db, selection, step)
  const end = step.order === 'newest first' ? min(read.id) : max(read.id)
  const [found] = await db.select({ end, count: count() }).from(read)
  return found?.count === ROWS_A_STEP ? found.end : null
}

function restOf({ range, order }: ScanStep, last: number): IdRange | null {
  const rest = order === 'newest first' ? { ...range, to: last - 1 } : { ...range, after: last }
  return rest.after < rest.to ? rest : null
}

/**
 * Where to start in one index, and where the matching rows end. With `account_id = …` alone, ordered by id, the
 * planner may choose the index of the whole log and read all of it in the hope of matches. Only the selection's
 * own index has its rows in the order of their last column and id.
 */
function isNext(selection: AuditSelection, { range, order }: ScanStep): SQL | undefined {
  const isNewestFirst = order === 'newest first'
  const id = isNewestFirst ? range.to : range.after + 1
  const { account, last } = keyOf(selection)
  const compare = isNewestFirst ? lte : gte
  if (!last) return and(selection.isByOperator && isByOperator, compare(auditLog.id, id))
  return and(
    account === undefined ? undefined : eq(auditLog.accountId, account),
    isNewestFirst ? gte(last.column, last.value) : lte(last.column, last.value),
    compare(sql`(${last.column}, ${auditLog.id})`, sql`(${last.value}, ${id})`),
  )
}

/** As the index `audit_log_operator` has it. */
const isByOperator = sql`(${auditLog.detail} ->> 'operator') is not null`

function inOrder(selection: AuditSelection, { order }: ScanStep): SQL[] {
  const { last } = keyOf(selection)
  const columns = last ? [last.column, auditLog.id] : [auditLog.id]
  return columns.map(order === 'newest first' ? desc : asc)
}

/** The columns that an index of the log has before the id. */
interface IndexKey {
  readonly account?: string
  readonly last?: { readonly column: PgColumn; readonly value: string }
}

function keyOf({ accountId, user, action, outcome }: AuditSelection): IndexKey {
  if (user) return { last: { column: auditLog.userId, value: user } }
  if (accountId === null) return {}
  if (action) return { account: accountId, last: { column: auditLog.action, value: action } }
  if (outcome) return { account: accountId, last: { column: auditLog.outcome, value: outcome } }
  return { last: { column: auditLog.accountId, value: accountId } }
}

function matches({ accountId, user, action, outcome, where }: AuditSelection): SQL | undefined {
  return and(
    accountId === null ? undefined : eq(auditLog.accountId, accountId),
    user ? eq(auditLog.userId, user) : undefined,
    action ? eq(auditLog.action, action) : undefined,
    outcome ? eq(auditLog.outcome, outcome) : undefined,
    where,
  )
}

/** Which rows a reader asks for; all conditions must hold. */
export interface AuditFilter {
  /** Whom they concern. */
  readonly user?: string
  /** A part of the name or e-mail address of whom they concern, or of who did it. */
  readonly q?: string
  readonly action?: AuditAction
  readonly outcome?: AuditOutcome
  /** Not before this time. */
  readonly from?: Date
  /** Before this time. */
  readonly to?: Date
}

/** How far a replica's clock may be from the others'; doctor reports a difference of a second. */
const CLOCKS_APART_MS = 10 * 60 * 1000
/** An export may take a moment longer, and should miss nothing. */
export const CLOCKS_FAR_APART_MS = 24 * 60 * 60 * 1000
/** Ids and times are roughly in the same order, so this many rows show where to begin. */
const ROWS_AROUND = 1_000

/**
 * The account's rows that match the filter, never rows of another account or of none; without an account, the rows
 * of all.
 */
export function selectionOf(accountId: string | null, filter: AuditFilter): AuditSelection {
  const { from, to, user, q, action, outcome } = filter
  const where = and(from && gte(auditLog.at, from), to && lt(auditLog.at, to), q ? isAbout(q) : undefined)
  return { accountId, user, action, outcome, where }
}

/**
 * Rows about, or by, users of the account whose name or address contains the text, and those with such an address in
 * their details: of who is invited, or was removed. A value rather than a condition with `exists`, so that users are
 * looked up for the rows that a step reads, and no plan begins with all users.
 */
function isAbout(text: string): SQL {
  const by = sql`${auditLog.detail} ->> 'by'`
  const actor = sql`case when ${by} ~ ${`^${UUID}$`} then (${by})::uuid end`
  // By the id alone: through the index of the accounts it could read all users of this one for each row.
  const areCalled = sql`
    select bool_or(${users.accountId} = ${auditLog.accountId} and ${isCalled(text)}) from ${users}
    where ${users.id} in (${auditLog.userId}, ${actor})`
  const isRecorded = sql`position(${text.toLowerCase()} in ${auditLog.detail} ->> 'email') > 0`
  return sql`(${isRecorded} or (${areCalled}))`
}

/**
 * The range of ids that rows of this period can have, so that a page of old rows does not begin at the newest. It is
 * empty when there are no rows since `from`.
 */
export async function idsBetween(
  db: Db,
  { from, to }: AuditFilter,
  clocksApartMs = CLOCKS_APART_MS,
): Promise<IdRange> {
  const lowest = from && (await idNear(db, from.getTime() - clocksApartMs, sql`min(id)`))
  const highest = to && (await idNear(db, to.getTime() + clocksApartMs, sql`max(id)`))
  if (lowest === null) return { after: ALL_IDS.to, to: ALL_IDS.to }
  return { after: lowest === undefined ? ALL_IDS.after : lowest - 1, to: highest ?? ALL_IDS.to }
}

/** The lowest or highest id of the first rows since then; null when there are none. */
async function idNear(db: Db, time: number, which: SQL): Promise<number | null> {
  const first = sql`
    select id from ${auditLog} where ${auditLog.at} >= ${new Date(time).toISOString()}::timestamptz
    order by ${auditLog.at} limit ${ROWS_AROUND}`
  const [row] = rowsOf<{ id: string | null }>(
    await db.execute(sql`select ${which}::text as id from (${first}) first`),
  )
  return row?.id ? Number(row.id) : null
}

/** Which page a reader asks for. */
export interface PageRequest {
  readonly limit?: number
  /** The row after which it begins, as {@link RowCursor} reads it; the first page without one. */
  readonly after?: number
}

/**
 * The newest rows of the range that earlier pages have not shown. A scan that ends early makes a page that ends
 * early.
 */
export async function pageBefore(
  { limit = DEFAULT_PAGE, after }: PageRequest,
  range: IdRange,
  scan: (step: ScanStep) => Promise<Scanned>,
): Promise<Page<AuditRow>> {
  const to = after === undefined ? range.to : Math.min(range.to, after - 1)
  const found = await scan({ range: { ...range, to }, order: 'newest first', limit: limit + 1 })
  const rows = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? rows.at(-1) : found.rest && { id: found.rest.to + 1 }
  return { rows, next: last ? rowCursor(last) : null }
}

const ID = /^[1-9]\d{0,14}$/

/** Where a page ended, as text for `?after=`. Its format may change. */
function rowCursor({ id }: { readonly id: number }): string {
  return encodeCursor(String(id))
}

/** The id in a cursor of ours; null for any other text. */
function idInCursor(text: string): number | null {
  const id = decodeCursor(text, ID)
  return id === null ? null : Number(id)
}

const DEFAULT_PAGE = 50

/** For query fields: how many rows a page has at most. */
export const RowLimit = () => PageLimit(DEFAULT_PAGE)

/** For query fields: the row after which a page begins. */
export const RowCursor = () => PageCursor(idInCursor, IsInt)
