import { Injectable } from '@nestjs/common'
import { and, asc, count, desc, eq, gt, gte, lte, max, min, notExists, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database, rowsOf } from '../database/database.js'
import { auditChain, auditLog, auditRemovedIds, auditRetention } from '../database/schema/audit.js'
import { type AuditRow, GENESIS_HASH } from './audit-hash.js'
import { ALL_IDS, type IdRange } from './id-range.js'

/** The last link of the chain; it vouches for all before it. */
export interface ChainHead {
  /** How many rows are sealed; 0 for none. */
  readonly position: number
  readonly hash: string
}

export const EMPTY_CHAIN: ChainHead = { position: 0, hash: GENESIS_HASH }

/** A seal with the row it seals; null when that row is gone. */
export interface ChainLink {
  readonly position: number
  readonly auditId: number
  readonly hash: string
  readonly row: AuditRow | null
  /** Whether retention has removed the row. */
  readonly isExpired: boolean
}

/** What retention has removed so far. */
export interface Expiry {
  /** Rows from before this time may be gone; null when none are. */
  readonly before: Date | null
  /** The position of the first link that exists; null when none does. */
  readonly start: number | null
}

const LINKS_A_PAGE = 2_000
/** An arbitrary number; every replica must use the same, and nothing else may. */
const SEALING_LOCK = 7_245_002

/** The table of seals. */
@Injectable()
export class AuditChain {
  constructor(private readonly database: Database) {}

  /** Makes every other sealer wait until this transaction ends. */
  async lock(transaction: Db): Promise<void> {
    await transaction.execute(sql`select pg_advisory_xact_lock(${SEALING_LOCK})`)
  }

  async head(db: Db): Promise<ChainHead> {
    const { position, hash } = auditChain
    const [head] = await db.select({ position, hash }).from(auditChain).orderBy(desc(position)).limit(1)
    return head ?? EMPTY_CHAIN
  }

  /** Whether the chain has this link; the empty chain is the start of every chain. */
  async has(db: Db, { position, hash }: ChainHead): Promise<boolean> {
    if (position === 0) return true
    const isIt = and(eq(auditChain.position, position), eq(auditChain.hash, hash))
    const found = await db.select({ position: auditChain.position }).from(auditChain).where(isIt)
    return found.length === 1
  }

  async append(transaction: Db, links: readonly (typeof auditChain.$inferInsert)[]): Promise<void> {
    await transaction.insert(auditChain).values([...links])
  }

  async expiry(): Promise<Expiry> {
    const [row] = await this.database.run(db =>
      db.select({ before: auditRetention.before }).from(auditRetention),
    )
    const [chain] = await this.database.run(db =>
      db.select({ start: min(auditChain.position) }).from(auditChain),
    )
    return { before: row?.before ?? null, start: chain?.start ?? null }
  }

  /**
   * An id up to which all rows but late ones were sealed before `time`; the lowest possible id when nothing was.
   * It may be lower than necessary: only a few places of the chain are looked at, however much has been sealed
   * since.
   */
  async sealedUpTo(db: Db, time: Date): Promise<number> {
    const [row] = rowsOf<{ id: string | null }>(await db.execute(sealedUpTo(time)))
    return row?.id ? Number(row.id) : ALL_IDS.after
  }

  /** The rows in the range that have no seal, lowest ids first. */
  unsealed(db: Db, { after, to }: IdRange, limit: number): Promise<AuditRow[]> {
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
  async *ranges(above: number, rowsEach: number): AsyncGenerator<IdRange> {
    for (let after = above; ; ) {
      const { to, count } = await this.database.run(db => nextRange(db, after, rowsEach))
      if (to === null) return
      yield { after, to }
      // Rows written in the meantime are left for the next run.
      if (count < rowsEach) return
      after = to
    }
  }

  /** All links by position, in pages, from the first that exists. */
  async *pages(): AsyncGenerator<ChainLink[]> {
    for (let after = ALL_IDS.after; ; ) {
      // A report sees one state of links and rows; retention may remove some between two statements.
      const page: ChainLink[] = await this.database.report(db => linksAfter(db, after), { isBegun: true })
      const last = page.at(-1)
      if (!last) return
      yield page
      after = last.position
    }
  }
}

/**
 * Of the last link and those 1, 2, 4, 8 and so on before it, takes the newest that is old enough; then the
 * highest id of the 1,000 links up to that one, because a row that was found late has a low id. The limits keep
 * each lookup in the index of positions.
 */
function sealedUpTo(time: Date): SQL {
  const { position, auditId, sealedAt } = auditChain
  const isOld = sql`${sealedAt} < ${time.toISOString()}::timestamptz`
  return sql`
    with newest as (select max(${position}) as position from ${auditChain}),
    places as (
      select newest.position - back as position from newest, (
        select 0::bigint as back union all select (2 ^ n)::bigint from generate_series(0, 40) n) steps),
    old as (
      select link.position from places cross join lateral (
        select ${position} from ${auditChain} where ${position} = places.position and ${isOld} limit 1) link
      order by 1 desc limit 1)
    select max(link.audit_id)::text as id from old cross join lateral (
      select ${auditId} from ${auditChain} where ${position} <= old.position order by ${position} desc limit 1000) link`
}

async function nextRange(db: Db, after: number, most: number) {
  const next = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(gt(auditLog.id, after))
    .orderBy(asc(auditLog.id))
    .limit(most)
    .as('next')
  const [found] = await db.select({ to: max(next.id), count: count() }).from(next)
  return found ?? { to: null, count: 0 }
}

async function linksAfter(db: Db, after: number): Promise<ChainLink[]> {
  const { position, auditId, hash } = auditChain
  const links = await db
    .select({ position, auditId, hash, isExpired: sql<boolean>`${IS_EXPIRED}` })
    .from(auditChain)
    .where(gt(position, after))
    .orderBy(asc(position))
    .limit(LINKS_A_PAGE)
  const rows = await rowsWith(
    db,
    links.map(link => link.auditId),
  )
  return links.map(link => {
    const row = rows.get(link.auditId) ?? null
    return { ...link, row, isExpired: link.isExpired && row === null }
  })
}

const IS_EXPIRED = sql`(${auditChain.auditId} < (select coalesce(max(${auditRetention.belowId}), 0) from ${auditRetention})
  or exists (select from ${auditRemovedIds} where ${auditRemovedIds.id} = ${auditChain.auditId}))`

/**
 * Also by a range of ids, because neighbouring ids are in the same partition; a join would look for each row in
 * all partitions.
 */
async function rowsWith(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, AuditRow>> {
  if (ids.length === 0) return new Map()
  const { id } = auditLog
  const sorted = ids.toSorted((one, other) => one - other)
  const inRange = and(gte(id, sorted[0] as number), lte(id, sorted.at(-1) as number))
  const rows = await db
    .select()
    .from(auditLog)
    .where(and(inRange, sql`${id} = any (${sql.param(sorted)}::bigint[])`))
  return new Map(rows.map(row => [row.id, row]))
}
