import { Injectable } from '@nestjs/common'
import { and, asc, gt, gte, lte, min, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { auditChain, auditLog, auditRemovedIds, auditRetention } from '../platform/database/schema/audit.js'
import type { AuditRow } from './audit-hash.js'
import { ALL_IDS } from './id-range.js'

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

/** The chain as it is verified: each link with the row that it seals. */
@Injectable()
export class AuditChainLinks {
  constructor(private readonly database: Database) {}

  async expiry(): Promise<Expiry> {
    const [row] = await this.database.run(db =>
      db.select({ before: auditRetention.before }).from(auditRetention),
    )
    const [chain] = await this.database.run(db =>
      db.select({ start: min(auditChain.position) }).from(auditChain),
    )
    return { before: row?.before ?? null, start: chain?.start ?? null }
  }

  /** All links by position, in pages, from the first that exists. */
  async *pages(): AsyncGenerator<ChainLink[]> {
    for (let after = ALL_IDS.after; ; ) {
      // A report sees one state of links and rows; retention may remove some between two statements.
      const page: ChainLink[] = await this.database.report(db => linksAfter(db, after), {
        isContinuation: true,
      })
      const last = page.at(-1)
      if (!last) return
      yield page
      after = last.position
    }
  }
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
