import { Injectable } from '@nestjs/common'
import { and, asc, desc, eq, gt, gte, lt, lte, notExists, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { auditChain, auditLog, auditRemovedIds, auditRetention } from '../database/schema.js'
import { type AuditRow, GENESIS_HASH } from './audit-hash.js'

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

/** The rows of the audit log with these ids: above `after`, up to `to` where it is given. */
export interface IdRange {
  readonly after: number
  readonly to?: number
}

/** The lowest integer that JavaScript represents exactly; our ids start at 1. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER
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

  /** Rows from before this time were removed by retention; null when none were. */
  async expiredBefore(): Promise<Date | null> {
    const [row] = await this.database.run(db =>
      db.select({ before: auditRetention.before }).from(auditRetention),
    )
    return row?.before ?? null
  }

  /** The highest id among the newest 1,000 rows that were sealed before `time`; 0 when there are none. */
  async highestIdSealedBefore(time: Date): Promise<number> {
    // Not just the newest: a row that was found late has a low id.
    const newest = await this.database.run(db =>
      db
        .select({ id: auditChain.auditId })
        .from(auditChain)
        .where(lt(auditChain.sealedAt, time))
        .orderBy(desc(auditChain.position))
        .limit(1_000),
    )
    return newest.reduce((highest, { id }) => Math.max(highest, id), 0)
  }

  /** The rows in the range that have no seal, lowest ids first. */
  unsealed(db: Db, range: IdRange, limit: number): Promise<AuditRow[]> {
    const { after, to = Number.MAX_SAFE_INTEGER } = range
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

  /** Splits the whole audit log into ranges of at most this many rows. */
  async *ranges(rowsEach: number): AsyncGenerator<Required<IdRange>> {
    for (let after = BEFORE_ALL; ; ) {
      const to = await this.database.run(db => lastOfNext(db, after, rowsEach))
      if (to === null) return
      yield { after, to }
      after = to
    }
  }

  /** All links by position, in pages, from the first that exists. */
  async *pages(): AsyncGenerator<ChainLink[]> {
    for (let after = BEFORE_ALL; ; ) {
      const page = await this.database.run(db => linksAfter(db, after))
      const last = page.at(-1)
      if (!last) return
      yield page
      after = last.position
    }
  }
}

async function lastOfNext(db: Db, after: number, count: number): Promise<number | null> {
  const next = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(gt(auditLog.id, after))
    .orderBy(asc(auditLog.id))
    .limit(count)
    .as('next')
  const [last] = await db.select({ id: sql<string | null>`max(${next.id})::text` }).from(next)
  return last?.id ? Number(last.id) : null
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

/** By a range of ids too, which each partition has next to each other; a join would look for each row in all of them. */
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
