// Every row of the audit log gets a link in a chain of hashes, so that nobody can change, remove or insert a row later
// without a trace. The first part says what a link is; AuditSealer appends links, every few seconds, on one replica at a
// time; verifier.ts checks them.
import { hash } from 'node:crypto'
import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, asc, count, desc, eq, gt, lte, max, notExists, sql } from 'drizzle-orm'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { auditChain, auditLog } from '../platform/database/schema/audit.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Clock, secondsAfter } from '../platform/time.js'

/** A row of the audit log as stored in the database. */
export type AuditRow = typeof auditLog.$inferSelect

/** What the first row of the chain is chained to. */
export const GENESIS_HASH = '0'.repeat(64)

/** The seal of a row: SHA-256, in hex, of the previous hash (as text) and the row in canonical form. */
export function chainHash(previous: string, row: AuditRow): string {
  return hash('sha256', previous + canonicalRow(row), 'hex')
}

/**
 * The row as JSON in the form of RFC 8785: names in order, no white space; times in ISO 8601 with
 * milliseconds. Columns that are null are left out, so that adding a column changes no seal.
 */
export function canonicalRow(row: AuditRow): string {
  return canonicalJson(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
}

function canonicalJson(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(isoTime(value))
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** Never throws: an impossible time in a changed row must be reported, not stop the check. */
function isoTime(time: Date): string {
  return Number.isNaN(time.getTime()) ? 'no time' : time.toISOString()
}

/** Rows of the audit log by their ids: above `after`, up to `to`. */
export interface IdRange {
  readonly after: number
  readonly to: number
}

/** Of every row: ids are integers that JavaScript represents exactly, and ours start at 1. */
export const ALL_IDS: IdRange = { after: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** The last link of the chain; it vouches for all before it. */
export interface ChainHead {
  /** How many rows are sealed; 0 for none. */
  readonly position: number
  readonly hash: string
}

/** No row is sealed yet. */
export const EMPTY_CHAIN: ChainHead = { position: 0, hash: GENESIS_HASH }

/** How long a row can be changed without a trace. */
const EVERY_MS = 3_000
/** Well within the time that a statement may take. */
const ROWS_A_TRANSACTION = 1_000
/**
 * Ids are assigned before commit, so a row may appear after one with a higher id was sealed; each run looks back
 * this far. None of our transactions lives longer; the daily search finds the rest.
 */
const LATE_SECONDS = 120
const SEARCH_EVERY_SECONDS = 24 * 60 * 60
/** How many rows one statement looks at, however many are waiting. */
const ROWS_A_RANGE = 10_000
/** An older row without a seal was overlooked, or inserted later. */
const OVERDUE_SECONDS = 5 * 60
/** An attacker who changes the database cannot change the operator's logs, so a head in the log is evidence. */
const LOG_HEAD_EVERY_SECONDS = 60 * 60

/** Rows that should have been sealed long ago. */
export interface Overdue {
  readonly count: number
  /** The first of them. */
  readonly ids: readonly number[]
}
const MAX_OVERDUE_IDS = 20
/**
 * The limit while a client or a shutdown waits: a process that has to stop has only seconds. The next run continues.
 */
export const MAX_ROWS_AWAITED = 10 * ROWS_A_TRANSACTION

/**
 * Seals rows soon after they are committed, outside any request. Any number of replicas may try: one at a
 * time holds the lock, and the primary key on the position prevents a fork.
 */
@Injectable()
export class AuditSealer implements OnApplicationShutdown {
  private readonly logger = new Logger('AuditSealer')
  private running: Promise<void> | undefined
  private isFailing = false
  private isStopping = false
  private searchedAt: Date | undefined
  private headLoggedAt: Date | undefined
  /** As this process last knew it. */
  private head = EMPTY_CHAIN

  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Seals what is new, and sometimes searches the whole log. Never throws. */
  @Interval(EVERY_MS)
  run(): Promise<void> {
    this.running ??= this.sealAndSearch().finally(() => {
      this.running = undefined
    })
    return this.running
  }

  /**
   * Seals the rows that are committed now, up to about `mostRows` of them; returns how many. Throws
   * `DATABASE_UNAVAILABLE`.
   */
  async seal(mostRows = Number.POSITIVE_INFINITY): Promise<number> {
    await this.auditLog.flush()
    const time = secondsAfter(this.clock.now(), -LATE_SECONDS)
    const above = await this.database.run(db => sealedUpTo(db, time))
    let sealed = 0
    for await (const range of rangesAbove(this.database, above, ROWS_A_RANGE)) {
      sealed += await this.sealRange(range)
      if (sealed >= (this.isStopping ? MAX_ROWS_AWAITED : mostRows)) break
    }
    if (sealed === 0) await this.adoptNewerHead()
    return sealed
  }

  /** Seals every row of the log, however old, and returns those that should have been sealed long ago. */
  async sealWholeLog(): Promise<Overdue> {
    const dueBefore = secondsAfter(this.clock.now(), -OVERDUE_SECONDS)
    const ids: number[] = []
    let count = 0
    for await (const range of rangesAbove(this.database, ALL_IDS.after, ROWS_A_RANGE)) {
      if (this.isStopping) break
      const unsealed = await this.database.run(db => unsealedRows(db, range, ROWS_A_RANGE))
      const overdue = unsealed.filter(({ at }) => !(at >= dueBefore))
      count += overdue.length
      ids.push(...overdue.slice(0, MAX_OVERDUE_IDS - ids.length).map(({ id }) => id))
      if (unsealed.length > 0) await this.sealRange(range)
    }
    return { count, ids }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true
    await this.running
    try {
      await this.seal()
      if (this.head.position > 0) this.logHead()
    } catch (error) {
      this.logger.error(
        `The newest audit rows are not sealed yet; the next start will seal them: ${causeMessage(error)}`,
      )
    }
  }

  private async sealAndSearch(): Promise<void> {
    try {
      await this.seal()
      await this.searchIfDue()
      this.logHeadIfDue()
      this.isFailing = false
    } catch (error) {
      // Every few seconds during an outage; one line is enough.
      if (!this.isFailing) this.logger.error(`Audit rows are not being sealed: ${causeMessage(error)}`)
      this.isFailing = true
    }
  }

  private async searchIfDue(): Promise<void> {
    const now = this.clock.now()
    if (this.searchedAt && now < secondsAfter(this.searchedAt, SEARCH_EVERY_SECONDS)) return
    const { count, ids } = await this.sealWholeLog()
    this.searchedAt = now
    if (count > 0) this.logger.warn(`${count} audit rows were sealed late: ${ids.join(', ')}`)
  }

  private async sealRange(range: IdRange): Promise<number> {
    const [first] = await this.database.run(db => unsealedRows(db, range, 1))
    if (!first) return 0
    for (let sealed = 0, { after } = range; ; ) {
      const { count, last } = await this.sealSome({ ...range, after })
      sealed += count
      if (count < ROWS_A_TRANSACTION) return sealed
      after = last
    }
  }

  private async sealSome(range: IdRange): Promise<{ count: number; last: number }> {
    const { isAsKnown, head, links } = await this.database.transaction(async transaction => {
      await lockChain(transaction)
      const isAsKnown = await hasLink(transaction, this.head)
      const rows = await unsealedRows(transaction, range, ROWS_A_TRANSACTION)
      const before = await headOf(transaction)
      const links = linksFor(rows, before)
      if (links.length > 0) await appendLinks(transaction, links, this.clock.now())
      return { isAsKnown, head: links.at(-1) ?? before, links }
    })
    this.adoptHead(head, isAsKnown)
    return { count: links.length, last: links.at(-1)?.auditId ?? range.to }
  }

  /** Retention removes what was once the head from a chain that others have continued. */
  private async adoptNewerHead(): Promise<void> {
    const isAsKnown = await this.database.run(db => hasLink(db, this.head))
    this.adoptHead(await this.database.run(db => headOf(db)), isAsKnown)
  }

  private adoptHead(head: ChainHead, isAsKnown: boolean): void {
    const { position, hash } = this.head
    if (!isAsKnown) this.logger.error(`The audit chain has been changed: position ${position} had ${hash}`)
    this.head = { position: head.position, hash: head.hash }
  }

  private logHeadIfDue(): void {
    const now = this.clock.now()
    const isDue = !this.headLoggedAt || now >= secondsAfter(this.headLoggedAt, LOG_HEAD_EVERY_SECONDS)
    if (!isDue || this.head.position === 0) return
    this.headLoggedAt = now
    this.logHead()
  }

  private logHead(): void {
    const { position, hash } = this.head
    this.logger.log(`Audit chain: ${position} rows sealed, head ${hash}`)
  }
}

function linksFor(rows: readonly AuditRow[], head: ChainHead): NewLink[] {
  let { position, hash } = head
  return rows.map(row => {
    position += 1
    hash = chainHash(hash, row)
    return { position, auditId: row.id, hash }
  })
}

interface NewLink extends ChainHead {
  /** The id of the row that it seals. */
  readonly auditId: number
}

/** An arbitrary number; every replica must use the same, and nothing else may. */
const SEALING_LOCK = 7_245_002

/** Makes every other sealer wait until this transaction ends. */
async function lockChain(transaction: Db): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(${SEALING_LOCK})`)
}

async function headOf(db: Db): Promise<ChainHead> {
  const { position, hash } = auditChain
  const [head] = await db.select({ position, hash }).from(auditChain).orderBy(desc(position)).limit(1)
  return head ?? EMPTY_CHAIN
}

/** Whether the chain has this link; the empty chain is the start of every chain. */
async function hasLink(db: Db, { position, hash }: ChainHead): Promise<boolean> {
  if (position === 0) return true
  const matches = and(eq(auditChain.position, position), eq(auditChain.hash, hash))
  const found = await db.select({ position: auditChain.position }).from(auditChain).where(matches)
  return found.length === 1
}

/** Adds links that were sealed at the same time. */
async function appendLinks(transaction: Db, links: readonly NewLink[], sealedAt: Date): Promise<void> {
  // As arrays: a parameter for each value would keep the process busy for longer than the hashes do.
  const positions = sql.param(links.map(({ position }) => position))
  const ids = sql.param(links.map(({ auditId }) => auditId))
  const hashes = sql.param(links.map(({ hash }) => hash))
  await transaction.execute(sql`
    insert into ${auditChain} (position, audit_id, hash, sealed_at)
    select position, audit_id, hash, ${sealedAt.toISOString()}::timestamptz
    from unnest(${positions}::bigint[], ${ids}::bigint[], ${hashes}::text[]) as link (position, audit_id, hash)`)
}

/** The rows in the range that have no seal, lowest ids first. */
export function unsealedRows(db: Db, { after, to }: IdRange, limit: number): Promise<AuditRow[]> {
  // The range is repeated here; otherwise the planner reads the index of all seals.
  const isItsSeal = and(
    eq(auditChain.auditId, auditLog.id),
    gt(auditChain.auditId, after),
    lte(auditChain.auditId, to),
  )
  const seal = db.select({ id: auditChain.auditId }).from(auditChain).where(isItsSeal)
  return db
    .select()
    .from(auditLog)
    .where(and(gt(auditLog.id, after), lte(auditLog.id, to), notExists(seal)))
    .orderBy(asc(auditLog.id))
    .limit(limit)
}

/** Splits the audit log, above this id, into ranges of `rowsEach` rows; the last may have fewer. */
export async function* rangesAbove(
  database: Database,
  above: number,
  rowsEach: number,
): AsyncGenerator<IdRange> {
  for (let after = above; ; ) {
    const { to, count } = await database.run(db => nextRange(db, after, rowsEach))
    if (to === null) return
    yield { after, to }
    // Rows written in the meantime are left for the next run.
    if (count < rowsEach) return
    after = to
  }
}

async function nextRange(db: Db, after: number, rowsEach: number) {
  const next = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(gt(auditLog.id, after))
    .orderBy(asc(auditLog.id))
    .limit(rowsEach)
    .as('next')
  const [found] = await db.select({ to: max(next.id), count: count() }).from(next)
  return found ?? { to: null, count: 0 }
}

/**
 * An id up to which all rows but late ones were sealed before `time`; the lowest possible id when nothing was. It may
 * be lower than necessary, so that only a few places of the chain are looked at, however much has been sealed since:
 * of the last link and those 1, 2, 4, 8 and so on before it, the newest that is old enough; then the highest id of the
 * 1,000 links up to that one, because a row that was found late has a low id. The limits keep each lookup in the index
 * of positions.
 */
export async function sealedUpTo(db: Db, time: Date): Promise<number> {
  const { position, auditId, sealedAt } = auditChain
  const isOld = sql`${sealedAt} < ${time.toISOString()}::timestamptz`
  const found = await db.execute(sql`
    with newest as (select max(${position}) as position from ${auditChain}),
    places as (
      select newest.position - back as position from newest, (
        select 0::bigint as back union all select (2 ^ n)::bigint from generate_series(0, 40) n) steps),
    old as (
      select link.position from places cross join lateral (
        select ${position} from ${auditChain} where ${position} = places.position and ${isOld} limit 1) link
      order by 1 desc limit 1)
    select max(link.audit_id)::text as id from old cross join lateral (
      select ${auditId} from ${auditChain} where ${position} <= old.position order by ${position} desc limit 1000) link`)
  const [row] = rowsOf<{ id: string | null }>(found)
  return row?.id ? Number(row.id) : ALL_IDS.after
}
