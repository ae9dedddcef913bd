import { Injectable } from '@nestjs/common'
import { and, asc, gt, gte, lte, min, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { auditChain, auditLog, auditRemovedIds, auditRetention } from '../platform/database/schema/audit.js'
import {
  ALL_IDS,
  type AuditRow,
  AuditSealer,
  type ChainHead,
  chainHash,
  EMPTY_CHAIN,
  type Overdue,
} from './chain.js'

/** A head that was recorded earlier, outside this database. */
export interface Checkpoint {
  readonly hash: string
  readonly position?: number
}

export interface Verified {
  readonly sealed: number
  readonly head: ChainHead
  readonly faults: number
}

/** Retention removes what is being read; it runs for some minutes an hour. */
const MAX_ATTEMPTS = 3
/** A table that was replaced has a fault in each of millions of rows. */
const MAX_NAMED = 1_000

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
interface Expiry {
  /** Rows from before this time may be gone; null when none are. */
  readonly before: Date | null
  /** The position of the first link that exists; null when none does. */
  readonly start: number | null
}

/** Checks whether the audit log is unchanged since it was sealed. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly database: Database,
    private readonly sealer: AuditSealer,
  ) {}

  /**
   * Seals what is new, then checks the whole chain in pages, again if retention has removed rows meanwhile, and
   * calls `report` with each fault; of links with faults it names the first 1,000. A chain whose end was cut off looks
   * intact from inside; only a head that was `noted` elsewhere reveals it. Changes nothing but seals. A row that was never
   * sealed is sealed and reported once.
   */
  async verify(report: (fault: string) => void, noted?: Checkpoint): Promise<Verified> {
    let overdueFaults = 0
    for (let attempt = 1; ; attempt += 1) {
      const before = await this.expiry()
      const overdue = overdueFault(await this.sealer.sealWholeLog())
      // Sealed now, so that another attempt would not find it.
      if (overdue !== null) {
        report(overdue)
        overdueFaults += 1
      }
      const { faults, ...verified } = await this.walk(before, noted)
      const isOvertaken = faults.count > 0 && !isSame(before, await this.expiry())
      if (isOvertaken && attempt < MAX_ATTEMPTS) continue
      for (const fault of faults.inWords()) report(fault)
      return { ...verified, faults: faults.count + overdueFaults }
    }
  }

  private async walk({ before }: Expiry, noted?: Checkpoint) {
    const faults = new ChainFaults()
    const verifier = new ChainVerifier()
    let isNotedThere = !noted
    for await (const page of this.pages())
      for (const link of page) {
        faults.addLink(verifier.next(link))
        isNotedThere ||= isAt(link, noted as Checkpoint)
      }
    if (!isNotedThere) faults.addWhole(missingFault(noted as Checkpoint))
    faults.addWhole(unannouncedFault(before, verifier.announced))
    return { sealed: verifier.count, head: verifier.head, faults }
  }

  private async expiry(): Promise<Expiry> {
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

/** Follows the chain from its start and reports what is wrong. One change causes one fault. */
export class ChainVerifier {
  count = 0
  head: ChainHead = EMPTY_CHAIN
  /** Rows from before this time may be missing, according to the newest row about expiry; null when there is none. */
  announced: string | null = null

  /** What is wrong with the next link, in words; null when nothing is. */
  next({ position, auditId, hash, row, isExpired }: ChainLink): string | null {
    const before = this.head
    const isFirst = this.count === 0
    this.head = { position, hash }
    this.count += 1
    if (isExpired && isFirst) return null
    if (position !== before.position + 1)
      return `Position ${position} comes where ${before.position + 1} should: seals were removed between`
    if (isExpired) return null
    if (!row) return `Row ${auditId} (position ${position}) was removed`
    if (chainHash(before.hash, row) !== hash)
      return `Row ${auditId} (position ${position}) or its seal was changed`
    if (row.action === 'audit.expire') this.announced = String(row.detail.before)
    return null
  }
}

/** What is wrong with a chain. Keeps the words of the first faults, and counts them all. */
class ChainFaults {
  count = 0
  private readonly links: string[] = []
  private readonly whole: string[] = []

  /** Null, here and below, for no fault. */
  addLink(fault: string | null): void {
    if (fault === null) return
    this.count += 1
    if (this.links.length < MAX_NAMED) this.links.push(fault)
  }

  addWhole(fault: string | null): void {
    if (fault === null) return
    this.count += 1
    this.whole.push(fault)
  }

  inWords(): string[] {
    const unnamed = this.count - this.links.length - this.whole.length
    return [...this.links, ...(unnamed > 0 ? [`and ${unnamed} more rows or seals`] : []), ...this.whole]
  }
}

function isSame(one: Expiry, other: Expiry): boolean {
  return one.before?.getTime() === other.before?.getTime() && one.start === other.start
}

function isAt(link: ChainHead, { hash, position = link.position }: Checkpoint): boolean {
  return link.hash === hash && link.position === position
}

function overdueFault({ count, ids }: Overdue): string | null {
  if (count === 0) return null
  const rest = count > ids.length ? ' and more' : ''
  return `${count} old rows had no seal (ids ${ids.join(', ')}${rest}): they were inserted later, their seals were removed, or the service has not run since`
}

function unannouncedFault(before: Date | null, announced: string | null): string | null {
  if (before === null || before.toISOString() === announced) return null
  return `Rows from before ${before.toISOString()} were removed, of which no row of the log says so: not by the service`
}

function missingFault({ hash, position }: Checkpoint): string {
  const where = position === undefined ? '' : ` at position ${position}`
  return `The head ${hash} is not in the chain${where}: what it stood for was removed or changed`
}

const LINKS_A_PAGE = 2_000

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
