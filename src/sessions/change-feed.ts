// What was decided here, and why: docs/decisions/redis-holds-copies-of-sessions.md

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { type Database, rowsOf } from '../platform/database/database.js'
import { sessionChanges, sessionCopies } from '../platform/database/schema/sessions.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Throttle } from '../platform/time.js'

const POLL_EVERY_MS = 1_000
/** How much longer a poll may take before no copy is served. */
const LATE_BY_MS = 800
/** This long after a commit, every process that reaches the database knows of the change, or serves no copies. */
export const KNOWN_EVERYWHERE_AFTER_MS = POLL_EVERY_MS + LATE_BY_MS

/** No copy is served longer than this after it was read, so no change needs to be known for longer. */
export const COPY_LIFETIME_SECONDS = 2 * 3_600
/** Clocks may differ, and a process that starts has to find everything that a copy may be older than. */
export const CHANGES_KEPT_SECONDS = COPY_LIFETIME_SECONDS + 3_600

/**
 * A crash may take back the numbers of transactions that have not reached the disk, which they do within a second.
 * Then a change has a number below one that was seen before.
 */
const DURABLE_AFTER_MS = 2_000

/** How long an answer is held back while the database is down, and how often to look. */
const MAX_HELD_MS = 10_000
const LOOK_EVERY_MS = 50

const LOG_EVERY_MS = 60_000

/** Where a copy comes from, as it says itself. */
export interface CopyOrigin {
  /** The word of the database that it was read from. */
  readonly generation: string
  /** Every transaction with a lower number had finished before it was read. */
  readonly asOf: number
  readonly readAt: Date
}

/** A copy is `current` and may be served; or it is not, or this process cannot tell. */
export type Judgement = 'current' | 'outdated' | 'unknown'

interface Change {
  /** The latest transaction that changed it. */
  readonly xid: number
  readonly learntAt: number
}

/** What a poll saw: all transactions below `settled` had finished. Times are by performance.now(). */
interface Mark {
  /** When the answer came: it was seen no later than that. */
  readonly seenAt: number
  readonly settled: number
  /** PostgreSQL's, which tells what later polls need not read. */
  readonly snapshot: string
}

interface Answer {
  readonly snapshot: string
  readonly settled: string
  readonly generation: string | null
  /** Whether the generation is this database's own; null where there is none. */
  readonly isOwn: boolean | null
  /** Each a key and a transaction, with a space between them, in lines; null for none. */
  readonly changes: string | null
}

/**
 * What this process knows of the changes of sessions. It reads those that are new once a second, so it can tell whether a
 * copy of a session still says what the database says.
 */
export class ChangeFeed {
  /** By sid, userId and accountId, in the order in which they were learnt. */
  private readonly changes = new Map<string, Change>()
  /** Of the last polls, oldest first: only the first one is older than {@link DURABLE_AFTER_MS}. */
  private marks: readonly Mark[] = []
  private generation: string | null = null
  /** When the last poll that succeeded began. */
  private polledAt = Number.NEGATIVE_INFINITY
  /** When the database was last found not to answer. */
  private downAt = Number.NEGATIVE_INFINITY
  /** When the first poll that succeeded after a failure, or at start, ended. */
  private answeringSince = Number.POSITIVE_INFINITY
  private isClosed = false
  private timer: NodeJS.Timeout | undefined
  private readonly startedAt = performance.now()
  private readonly logger = new Logger('ChangeFeed')
  private readonly errorLines = new Throttle(LOG_EVERY_MS)

  /** `withoutDatabaseSeconds` is how long copies are served while the database does not answer. */
  constructor(
    private readonly database: Pick<Database, 'ping' | 'poll' | 'report'>,
    private readonly withoutDatabaseSeconds: number,
  ) {}

  /** Polls now, and then every second; resolves after the first poll. Never throws: without an answer, no copies are served. */
  async start(): Promise<void> {
    const beganAt = performance.now()
    try {
      await this.poll(beganAt)
      this.answeringSince = Math.min(this.answeringSince, performance.now())
    } catch (error) {
      this.answeringSince = Number.POSITIVE_INFINITY
      // For any other reason, others may well be making changes.
      if (isUnavailable(error) && !(await this.answersRequests())) this.downAt = performance.now()
      if (!this.isClosed && this.errorLines.take())
        this.logger.error(`Changes of sessions cannot be read: ${causeMessage(error)}`)
    }
    if (this.isClosed) return
    const waitMs = Math.max(0, beganAt + POLL_EVERY_MS - performance.now())
    this.timer = setTimeout(() => void this.start(), waitMs).unref()
  }

  /** How long ago the changes were last read, in seconds. */
  get ageSeconds(): number {
    return (performance.now() - Math.max(this.polledAt, this.startedAt)) / 1000
  }

  /** What a copy of a session that is read from now on has to say; null while it is not known. */
  get origin(): Omit<CopyOrigin, 'readAt'> | null {
    const [oldest] = this.marks
    const isDurable = oldest && performance.now() - oldest.seenAt >= DURABLE_AFTER_MS
    return isDurable && this.generation !== null
      ? { generation: this.generation, asOf: oldest.settled }
      : null
  }

  /**
   * Whether a copy may be served at `now`: no change of one of these keys (sid, userId, accountId) is newer. `isDown` is
   * whether the database has just failed to answer.
   */
  judge(
    { generation, asOf, readAt }: CopyOrigin,
    keys: readonly string[],
    now: Date,
    isDown = performance.now() - this.downAt <= KNOWN_EVERYWHERE_AFTER_MS,
  ): Judgement {
    if (!this.isUpToDate(isDown)) return 'unknown'
    const isOld = now.getTime() - readAt.getTime() >= COPY_LIFETIME_SECONDS * 1000
    if (isOld || generation !== this.generation) return 'outdated'
    return keys.some(key => (this.changes.get(key)?.xid ?? -1) >= asOf) ? 'outdated' : 'current'
  }

  /**
   * Resolves when every process that reaches the database knows of what was committed by then, or serves no copies. While
   * the database does not answer this process, others cannot learn of it either, so this waits for its return, within limits.
   */
  async reachesAll(committedAt: number): Promise<void> {
    const giveUpAt = committedAt + MAX_HELD_MS
    const isKnown = () => {
      const since = Math.max(committedAt, this.answeringSince)
      return this.polledAt >= committedAt && performance.now() - since >= KNOWN_EVERYWHERE_AFTER_MS
    }
    while (!isKnown() && !this.isClosed && performance.now() < giveUpAt) await this.sleep(LOOK_EVERY_MS)
  }

  onApplicationShutdown(): void {
    this.isClosed = true
    clearTimeout(this.timer)
  }

  protected sleep(milliseconds: number): Promise<void> {
    return sleep(milliseconds)
  }

  /**
   * A poll that is overdue may have missed a change that was answered. Where the database answers nobody, nobody can make
   * one.
   */
  private isUpToDate(isDown: boolean): boolean {
    const ageMs = performance.now() - this.polledAt
    return ageMs <= KNOWN_EVERYWHERE_AFTER_MS || (isDown && ageMs <= this.withoutDatabaseSeconds * 1000)
  }

  private async poll(beganAt: number, isRepeated = false): Promise<void> {
    const answer = await this.ask()
    const seenAt = performance.now()
    const settled = Number(answer.settled)
    const before = this.marks.at(-1)
    const isOlder = before !== undefined && settled < before.settled
    const isOther = this.generation !== null && answer.generation !== this.generation
    if (isOther || isOlder || answer.isOwn !== true) {
      if (isRepeated) throw new Error('the row in session_copies does not stay as it was written')
      const isReplaced = isOther && answer.isOwn === true
      if (!isReplaced) await this.replaceGeneration(answer)
      this.forgetAll()
      return this.poll(performance.now(), true)
    }
    for (const line of answer.changes?.split('\n') ?? []) {
      const at = line.indexOf(' ')
      this.learn(line.slice(0, at), Number(line.slice(at + 1)), beganAt)
    }
    this.forgetOld(beganAt)
    this.generation = answer.generation
    this.marks = [...this.marks, { seenAt, settled, snapshot: answer.snapshot }]
    while (this.marks[1] && seenAt - this.marks[1].seenAt >= DURABLE_AFTER_MS)
      this.marks = this.marks.slice(1)
    this.polledAt = beganAt
    this.downAt = Number.NEGATIVE_INFINITY
  }

  private learn(key: string, xid: number, learntAt: number): void {
    const known = this.changes.get(key)?.xid ?? -1
    if (xid <= known) return
    // Moves it to the end.
    this.changes.delete(key)
    // A slice would keep the whole answer in memory.
    this.changes.set(Buffer.from(key).toString(), { xid, learntAt })
  }

  private forgetOld(now: number): void {
    for (const [key, { learntAt }] of this.changes) {
      if (now - learntAt < CHANGES_KEPT_SECONDS * 1000) return
      this.changes.delete(key)
    }
  }

  private forgetAll(): void {
    this.changes.clear()
    this.marks = []
    this.generation = null
  }

  private async answersRequests(): Promise<boolean> {
    try {
      await this.database.ping()
      return true
    } catch {
      return false
    }
  }

  /** The new changes, and up to where they are all known, as of one moment. */
  private async ask(): Promise<Answer> {
    const [since] = this.marks
    const isNew = since
      ? sql`${sessionChanges.xid} >= ${String(since.settled)}::xid8
          and not pg_visible_in_snapshot(${sessionChanges.xid}, ${since.snapshot}::pg_snapshot)`
      : sql`true`
    const read = (db: Db) =>
      db.execute(sql`
        select pg_current_snapshot()::text as snapshot,
          pg_snapshot_xmin(pg_current_snapshot())::text as settled,
          ${sessionCopies.generation},
          ${sessionCopies}.xmin = ${sessionCopies.writtenBy}::xid and ${sessionCopies.timeline} = ${TIMELINE} as "isOwn",
          (
            select string_agg(${KEY} || ' ' || ${sessionChanges.xid}::text, E'\n')
            from ${sessionChanges} where ${isNew}
          ) as changes
        from (select 1) as one left join ${sessionCopies} on true`)
    // The first one may be large.
    const found = await (since ? this.database.poll(read) : this.database.report(read))
    return rowsOf<Answer>(found)[0] as Answer
  }

  /**
   * Makes all copies worthless: the database is new, or is an older one than before. Of several processes that do so, one
   * writes.
   */
  private async replaceGeneration({ generation }: Answer): Promise<void> {
    if (generation !== null)
      this.logger.warn(
        'The database was restored, or another server took over: sessions are read from it anew',
      )
    const word = randomBytes(6).toString('base64url')
    await this.database.poll(db =>
      db.execute(sql`
        insert into ${sessionCopies} (id, generation, timeline) values (1, ${word}, ${TIMELINE})
        on conflict (id) do update set
          generation = excluded.generation, timeline = excluded.timeline, written_by = pg_current_xact_id()
        where ${sessionCopies.generation} is not distinct from ${generation}`),
    )
  }
}

/** What a change is about. */
const KEY: SQL = sql`coalesce(${sessionChanges.sid}, coalesce(${sessionChanges.userId}, ${sessionChanges.accountId})::text)`
/** A server that takes over after another one begins a new one. */
const TIMELINE: SQL = sql`left(pg_walfile_name(pg_current_wal_lsn()), 8)`

/** Whether the database did not answer. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'DATABASE_UNAVAILABLE'
}
