import { sql } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { refusalCounts } from '../database/schema/audit.js'
import { subnetOf } from '../http/request.js'
import type { Clock } from '../time.js'
import type { AuditEvent } from './audit-event.js'
import { takeFromBudget } from './refusal-budget.js'

type Row = typeof refusalCounts.$inferInsert

/**
 * Rows per hour, across all replicas; the rest is counted as one network. With the audit log's rows that is 50 MB
 * a day.
 */
const BUDGET = { name: 'refusal counts', anHour: 3_000 }
/** In memory, until they are written. */
const MAX_KEPT = 10_000
const ROWS_A_STATEMENT = 500
const OTHERS = 'others'
const MAX_KIND_LENGTH = 80
const MINUTE_MS = 60_000

/** Counts the refusals that get no row in the audit log: by minute, kind and network. */
export class RefusalCounts {
  private counts = new Map<string, Row>()

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  add({ action, outcome, client, detail }: AuditEvent, times = 1): void {
    const facts = [detail?.reason, detail?.kind, detail?.limit].filter(fact => typeof fact === 'string')
    const kind = [`${action} ${outcome}`, ...facts].join(', ').slice(0, MAX_KIND_LENGTH)
    // IPv4 /24, IPv6 /48: as fine as possible without giving one attacker 65,536 rows a minute.
    const network = client ? subnetOf(client.ip) : 'none'
    const minute = new Date(Math.floor(this.clock.now().getTime() / MINUTE_MS) * MINUTE_MS)
    this.addRow({ minute, kind, network, count: times })
  }

  get isEmpty(): boolean {
    return this.counts.size === 0
  }

  /** Writes what was counted. What cannot be written now is kept, and the error thrown. */
  async write(): Promise<void> {
    const rows = [...this.counts.values()]
    if (rows.length === 0) return
    this.counts = new Map()
    let unwritten: readonly Row[] = rows
    try {
      const room = await takeFromBudget(this.database, BUDGET, this.clock.now(), rows.length)
      unwritten = withinBudget(rows, room)
      while (unwritten.length > 0) {
        await this.upsert(unwritten.slice(0, ROWS_A_STATEMENT))
        unwritten = unwritten.slice(ROWS_A_STATEMENT)
      }
    } catch (error) {
      for (const row of unwritten) this.addRow(row)
      throw error
    }
  }

  private addRow(row: Row): void {
    const network = this.counts.size < MAX_KEPT ? row.network : OTHERS
    const key = keyOf({ ...row, network })
    const count = (this.counts.get(key)?.count ?? 0) + row.count
    this.counts.set(key, { ...row, network, count })
  }

  private async upsert(rows: readonly Row[]): Promise<void> {
    await this.database.run(db =>
      db
        .insert(refusalCounts)
        .values([...rows])
        .onConflictDoUpdate({
          target: [refusalCounts.minute, refusalCounts.kind, refusalCounts.network],
          set: { count: sql`${refusalCounts.count} + excluded.count` },
        }),
    )
  }
}

function keyOf({ minute, kind, network }: Row): string {
  return `${minute.getTime()} ${kind} ${network}`
}

/** Keeps the largest counts as they are, and adds up the rest of each minute and kind. */
function withinBudget(rows: readonly Row[], room: number): Row[] {
  const largestFirst = rows.toSorted((one, other) => other.count - one.count)
  const others = new Map<string, Row>()
  for (const { minute, kind, count } of largestFirst.slice(room)) {
    const key = `${minute.getTime()} ${kind}`
    const before = others.get(key)?.count ?? 0
    others.set(key, { minute, kind, network: OTHERS, count: before + count })
  }
  const kept = largestFirst.slice(0, room)
  const isFolded = ({ network }: Row) => network === OTHERS
  // A row may occur only once in a statement.
  for (const { minute, kind, count } of kept.filter(isFolded)) {
    const key = `${minute.getTime()} ${kind}`
    others.set(key, { minute, kind, network: OTHERS, count: (others.get(key)?.count ?? 0) + count })
  }
  // In the same order on every replica, so that two cannot deadlock.
  return [...kept.filter(row => !isFolded(row)), ...others.values()].sort((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : 1,
  )
}
