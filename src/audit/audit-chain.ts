import { Injectable } from '@nestjs/common'
import { and, asc, count, desc, eq, gt, lte, max, notExists, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { auditChain, auditLog } from '../platform/database/schema/audit.js'
import { type AuditRow, GENESIS_HASH } from './audit-hash.js'
import { ALL_IDS, type IdRange } from './id-range.js'

/** The last link of the chain; it vouches for all before it. */
export interface ChainHead {
  /** How many rows are sealed; 0 for none. */
  readonly position: number
  readonly hash: string
}

export const EMPTY_CHAIN: ChainHead = { position: 0, hash: GENESIS_HASH }

/** The next link. */
export interface NewLink extends ChainHead {
  /** The id of the row that it seals. */
  readonly auditId: number
}

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
    const matches = and(eq(auditChain.position, position), eq(auditChain.hash, hash))
    const found = await db.select({ position: auditChain.position }).from(auditChain).where(matches)
    return found.length === 1
  }

  /** Adds links that were sealed at the same time. */
  async append(transaction: Db, links: readonly NewLink[], sealedAt: Date): Promise<void> {
    // As arrays: a parameter for each value would keep the process busy for longer than the hashes do.
    const positions = sql.param(links.map(({ position }) => position))
    const ids = sql.param(links.map(({ auditId }) => auditId))
    const hashes = sql.param(links.map(({ hash }) => hash))
    await transaction.execute(sql`
      insert into ${auditChain} (position, audit_id, hash, sealed_at)
      select position, audit_id, hash, ${sealedAt.toISOString()}::timestamptz
      from unnest(${positions}::bigint[], ${ids}::bigint[], ${hashes}::text[]) as link (position, audit_id, hash)`)
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
