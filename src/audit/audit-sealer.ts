import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { AuditChain, type ChainHead, EMPTY_CHAIN, type NewLink } from './audit-chain.js'
import { type AuditRow, chainHash } from './audit-hash.js'
import { ALL_IDS, type IdRange } from './id-range.js'

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
/** Somebody who tampers with the database cannot change the operator's logs, so a head in the log is evidence. */
const LOG_HEAD_EVERY_SECONDS = 60 * 60

/** Rows that should have been sealed long ago. */
export interface Overdue {
  readonly count: number
  /** The first of them. */
  readonly ids: readonly number[]
}
const MAX_OVERDUE_IDS = 20
/** The limit while somebody waits: a process that is told to stop has only seconds. The next run continues. */
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
    private readonly chain: AuditChain,
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
    const above = await this.database.run(db => this.chain.sealedUpTo(db, time))
    let sealed = 0
    for await (const range of this.chain.ranges(above, ROWS_A_RANGE)) {
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
    for await (const range of this.chain.ranges(ALL_IDS.after, ROWS_A_RANGE)) {
      if (this.isStopping) break
      const unsealed = await this.database.run(db => this.chain.unsealed(db, range, ROWS_A_RANGE))
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
    const [first] = await this.database.run(db => this.chain.unsealed(db, range, 1))
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
      await this.chain.lock(transaction)
      const isAsKnown = await this.chain.has(transaction, this.head)
      const rows = await this.chain.unsealed(transaction, range, ROWS_A_TRANSACTION)
      const before = await this.chain.head(transaction)
      const links = linksFor(rows, before)
      if (links.length > 0) await this.chain.append(transaction, links, this.clock.now())
      return { isAsKnown, head: links.at(-1) ?? before, links }
    })
    this.know(head, isAsKnown)
    return { count: links.length, last: links.at(-1)?.auditId ?? range.to }
  }

  /** Retention removes what was once the head from a chain that others have continued. */
  private async adoptNewerHead(): Promise<void> {
    const isAsKnown = await this.database.run(db => this.chain.has(db, this.head))
    this.know(await this.database.run(db => this.chain.head(db)), isAsKnown)
  }

  private know(head: ChainHead, isAsKnown: boolean): void {
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
