import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  CHANGES_KEPT_SECONDS,
  ChangeFeed,
  COPY_LIFETIME_SECONDS,
  type Database,
  type Db,
  handleOf,
  KNOWN_EVERYWHERE_AFTER_MS,
  newSessionId,
  openDatabase,
  readSettings,
  rowsOf,
  secondsAfter,
  sessionChanges,
  sessionCopies,
  unavailable,
} from '../../sources.js'
import { copyEmbeddedDatabase } from '../../support/embedded-database.js'
import { eventually } from '../../support/eventually.js'
import { aGate } from '../../support/gate.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { onServers } from '../../support/tiers.js'

const WITHOUT_DATABASE_SECONDS = 900
/** Of change-feed.ts. */
const DURABLE_AFTER_MS = 2_000
/** At 20 ms each, and a second of the feed's clock. */
const MAX_POLLS = 1_000

/** What performance.now() says; it stands still. */
let clockMs: number
let database: Database
/** How the database answers a poll, for once or for longer. */
let answer: Database['poll']
/** How it answers a request meanwhile. */
let ping: Database['ping']
let close: () => Promise<void>

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-feed-'))
  await copyEmbeddedDatabase(folder)
  database = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: `pglite:${folder}` }))
  close = async () => {
    await database.onApplicationShutdown()
    await rm(folder, { recursive: true })
  }
})
afterAll(() => close())
beforeEach(async () => {
  await database.run(db => db.delete(sessionCopies))
  await database.run(db => db.delete(sessionChanges))
  goUp()
  clockMs = 1_000_000
  jest.spyOn(performance, 'now').mockImplementation(() => clockMs)
})
afterEach(() => void jest.restoreAllMocks())

function goUp(): void {
  answer = work => database.poll(work)
  ping = () => database.ping()
}

function goDown(): void {
  const outage = () => Promise.reject<never>(unavailable('DATABASE_UNAVAILABLE'))
  answer = outage
  ping = outage
}

/** A feed that polls only when it is told: {@link poll}. */
function aFeed(poll: Database['poll'] = work => answer(work)): ChangeFeed {
  const feed = new ChangeFeed({ poll, report: poll, ping: () => ping() }, WITHOUT_DATABASE_SECONDS)
  // It then plans no further poll.
  feed.onApplicationShutdown()
  return feed
}

const poll = (feed: ChangeFeed) => feed.start()

/** A feed that has polled just now. */
async function polled(): Promise<ChangeFeed> {
  const feed = aFeed()
  await poll(feed)
  return feed
}

async function pollAfter(feed: ChangeFeed, milliseconds: number): Promise<void> {
  clockMs += milliseconds
  await poll(feed)
}

/** The first transaction that had not finished. */
async function settled(of = database): Promise<number> {
  const [row] = rowsOf<{ settled: string }>(
    await of.run(db => db.execute(sql`select pg_snapshot_xmin(pg_current_snapshot())::text as settled`)),
  )
  return Number(row?.settled)
}

type Change = Partial<typeof sessionChanges.$inferInsert>

async function change(values: Change): Promise<void> {
  await database.run(db => db.insert(sessionChanges).values(values))
}

async function generation(): Promise<string | undefined> {
  const rows = await database.run(db => db.select().from(sessionCopies))
  return rows[0]?.generation
}

interface Copy {
  readonly asOf: number
  readonly generation?: string | undefined
  readonly ageSeconds?: number
}

/** What the feed thinks of a copy with these keys. */
async function judge(feed: ChangeFeed, keys: readonly string[], copy: Copy) {
  const now = new Date()
  const word = copy.generation ?? ((await generation()) as string)
  const readAt = secondsAfter(now, -(copy.ageSeconds ?? 0))
  return feed.judge({ generation: word, asOf: copy.asOf, readAt }, keys, now)
}

const aSid = () => handleOf(newSessionId())

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function bytesInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('a change', () => {
  it.each([
    ['sid', aSid()],
    ['userId', randomUUID()],
    ['accountId', randomUUID()],
  ])('of a %s is known after the next poll, and outdates the copies that are older', async (name, key) => {
    const feed = await polled()
    const before = await settled()
    expect(await judge(feed, [aSid(), key], { asOf: before })).toBe('current')
    await change({ [name]: key })
    await pollAfter(feed, 1_000)
    expect(await judge(feed, [aSid(), key, randomUUID()], { asOf: before })).toBe('outdated')
    expect(await judge(feed, [aSid(), randomUUID()], { asOf: before })).toBe('current')
    expect(await judge(feed, [aSid(), key], { asOf: await settled() })).toBe('current')
  })

  it('is newer than a copy as of that very transaction', async () => {
    const feed = await polled()
    const sid = aSid()
    await change({ sid })
    const [row] = await database.run(db => db.select({ xid: sessionChanges.xid }).from(sessionChanges))
    const xid = Number(row?.xid)
    await poll(feed)
    expect(await judge(feed, [sid], { asOf: xid })).toBe('outdated')
    expect(await judge(feed, [sid], { asOf: xid + 1 })).toBe('current')
  })

  it('counts by its latest transaction', async () => {
    const feed = await polled()
    const sid = aSid()
    await change({ sid })
    await pollAfter(feed, 1_000)
    const between = await settled()
    expect(await judge(feed, [sid], { asOf: between })).toBe('current')
    await change({ sid })
    await pollAfter(feed, 1_000)
    expect(await judge(feed, [sid], { asOf: between })).toBe('outdated')
  })

  it('from before the start is known, as far back as copies may reach', async () => {
    const before = await settled()
    const sid = aSid()
    const ago = sql`clock_timestamp() - make_interval(secs => ${COPY_LIFETIME_SECONDS})`
    await change({ sid, recordedAt: ago as never })
    expect(await judge(await polled(), [sid], { asOf: before })).toBe('outdated')
  })

  it('is forgotten after three hours, unless there was another', async () => {
    const feed = await polled()
    const before = await settled()
    const [once, again] = [aSid(), aSid()]
    for (const sid of [again, once]) await change({ sid })
    await pollAfter(feed, 1_000)
    await pollAfter(feed, DURABLE_AFTER_MS)
    await pollAfter(feed, CHANGES_KEPT_SECONDS * 1000 - DURABLE_AFTER_MS - 1)
    expect(await judge(feed, [once], { asOf: before })).toBe('outdated')
    await change({ sid: again })
    await poll(feed)
    await pollAfter(feed, 1)
    expect(await judge(feed, [once], { asOf: before })).toBe('current')
    expect(await judge(feed, [again], { asOf: before })).toBe('outdated')
  })

  it('costs the memory of its key, not of the answer that it came in', async () => {
    // Each answer has one new key, beside many that are known.
    let polls = 0
    const known = Array.from({ length: 10_000 }, () => `${aSid()} 1`)
    const feed = aFeed(async <T>(work: (db: Db) => Promise<T>) => {
      const found = rowsOf<object>((await database.poll(work)) as never)
      const changes = Buffer.from([...known, `${aSid()} ${++polls}`].join('\n')).toString()
      return { rows: found.map(row => ({ ...row, changes })) } as T
    })
    await poll(feed)
    const before = bytesInUse()
    for (let each = 0; each < 40; each++) await poll(feed)
    expect(bytesInUse() - before).toBeLessThan(8 * 2 ** 20)
    expect(await judge(feed, [(known[0] as string).slice(0, 43)], { asOf: 1 })).toBe('outdated')
  })

  onServers('of a long transaction is known although others began later and ended before', async () => {
    const { url, drop } = await createDatabase()
    const postgres = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: url }))
    try {
      const feed = aFeed(work => postgres.poll(work))
      await poll(feed)
      const sid = aSid()
      const insert = (db: Db, of: string) => db.insert(sessionChanges).values({ sid: of })
      const word = async () => (await postgres.run(db => db.select().from(sessionCopies)))[0]?.generation
      const copy = { asOf: 0, generation: await word() }
      const xid = await postgres.transaction(async transaction => {
        await insert(transaction, sid)
        const [own] = await transaction.select({ xid: sessionChanges.xid }).from(sessionChanges)
        for (let each = 0; each < 5; each++) {
          await postgres.run(db => insert(db, aSid()))
          await pollAfter(feed, 1_000)
        }
        copy.asOf = feed.origin?.asOf as number
        expect(await judge(feed, [sid], copy)).toBe('current')
        return Number(own?.xid)
      })
      // Everything below had finished: the others had not.
      expect(copy.asOf).toBeLessThanOrEqual(xid)
      await pollAfter(feed, 1_000)
      expect(await judge(feed, [sid], copy)).toBe('outdated')
      // Transactions of other test files, in other databases of this server, hold it back as well.
      await eventually(
        async () => {
          await pollAfter(feed, 1_000)
          return Number(feed.origin?.asOf) > xid
        },
        { what: 'all transactions of the server to end', timeoutMs: MAX_POLLS * 1_000 },
      )
      expect(await judge(feed, [sid], { ...copy, asOf: feed.origin?.asOf as number })).toBe('current')
    } finally {
      await postgres.onApplicationShutdown()
      await drop()
    }
  })
})

describe('whether a copy may be served', () => {
  const seconds = (count: number) => count * 1000

  it('is unknown before the first poll', async () => {
    const feed = aFeed()
    expect(await judge(feed, [], { asOf: 1, generation: 'any' })).toBe('unknown')
    expect(feed.origin).toBeNull()
    clockMs += 5_000
    expect(feed.ageSeconds).toBe(5)
  })

  it('is unknown without a first poll, also where the database does not answer', async () => {
    goDown()
    const feed = await polled()
    expect(await judge(feed, [], { asOf: 1, generation: 'any' })).toBe('unknown')
  })

  it('is unknown while a poll is overdue: a change may have been answered', async () => {
    const feed = await polled()
    const copy = { asOf: await settled() }
    clockMs += KNOWN_EVERYWHERE_AFTER_MS
    expect(await judge(feed, [], copy)).toBe('current')
    clockMs++
    expect(await judge(feed, [], copy)).toBe('unknown')
    expect(feed.ageSeconds).toBeCloseTo((KNOWN_EVERYWHERE_AFTER_MS + 1) / 1000)
    await poll(feed)
    expect(await judge(feed, [], copy)).toBe('current')
    expect(feed.ageSeconds).toBe(0)
  })

  it('counts from when the poll began, because what was committed later may not be in its answer', async () => {
    const feed = await polled()
    const copy = { asOf: await settled() }
    const [asked, go] = [aGate(), aGate()]
    answer = async work => {
      const found = await database.poll(work)
      asked.open()
      await go.opened
      return found
    }
    clockMs += 1_000
    const polling = poll(feed)
    await asked.opened
    clockMs += 1_500
    go.open()
    await polling
    expect(feed.ageSeconds).toBe(1.5)
    clockMs += 300
    expect(await judge(feed, [], copy)).toBe('current')
    clockMs++
    expect(await judge(feed, [], copy)).toBe('unknown')
  })

  it('is known for a while where polls fail: nobody can make changes then', async () => {
    const feed = await polled()
    const copy = { asOf: await settled() }
    const lastSuccess = clockMs
    goDown()
    await pollAfter(feed, KNOWN_EVERYWHERE_AFTER_MS + 1)
    expect(await judge(feed, [], copy)).toBe('current')
    clockMs = lastSuccess + seconds(WITHOUT_DATABASE_SECONDS)
    await poll(feed)
    expect(await judge(feed, [], copy)).toBe('current')
    clockMs++
    expect(await judge(feed, [], copy)).toBe('unknown')
    goUp()
    await poll(feed)
    expect(await judge(feed, [], copy)).toBe('current')
    // From now on an answer is due again.
    clockMs += KNOWN_EVERYWHERE_AFTER_MS + 1
    expect(await judge(feed, [], copy)).toBe('unknown')
  })

  it('still follows what was known before the polls failed', async () => {
    const feed = await polled()
    const before = await settled()
    const sid = aSid()
    await change({ sid })
    await pollAfter(feed, 1_000)
    goDown()
    await pollAfter(feed, seconds(60))
    expect(await judge(feed, [sid], { asOf: before })).toBe('outdated')
  })

  it('depends on its age, because what changed earlier is forgotten', async () => {
    const feed = await polled()
    const asOf = await settled()
    expect(await judge(feed, [], { asOf, ageSeconds: COPY_LIFETIME_SECONDS - 1 })).toBe('current')
    expect(await judge(feed, [], { asOf, ageSeconds: COPY_LIFETIME_SECONDS })).toBe('outdated')
  })

  it('depends on the database that it comes from', async () => {
    const feed = await polled()
    expect(await judge(feed, [], { asOf: await settled(), generation: 'another' })).toBe('outdated')
  })
})

describe('what a new copy is as of', () => {
  it('is a mark that has been on the disk for two seconds', async () => {
    // Its word is a transaction too.
    await polled()
    const feed = aFeed()
    const marks: number[] = []
    const seen: (number | null)[] = []
    for (let second = 0; second < 5; second++) {
      await change({ sid: aSid() })
      marks.push(await settled())
      await poll(feed)
      seen.push(feed.origin?.asOf ?? null)
      clockMs += 1_000
    }
    expect(marks).toEqual([...new Set(marks)].sort((one, other) => one - other))
    expect(seen).toEqual([null, null, marks[0], marks[1], marks[2]])
  })

  it('is the first mark once that is old enough, without another poll', async () => {
    const feed = await polled()
    const mark = await settled()
    clockMs += DURABLE_AFTER_MS - 1
    expect(feed.origin).toBeNull()
    clockMs++
    expect(feed.origin?.asOf).toBe(mark)
  })

  it('is not known of another database before two seconds', async () => {
    const feed = await polled()
    await pollAfter(feed, DURABLE_AFTER_MS)
    expect(feed.origin).not.toBeNull()
    await database.run(db => db.delete(sessionCopies))
    await pollAfter(feed, 1_000)
    expect(feed.origin).toBeNull()
    await pollAfter(feed, DURABLE_AFTER_MS)
    expect(feed.origin).not.toBeNull()
  })
})

describe('the word that copies bear', () => {
  it('is there after the first poll, stays, and is the same for all', async () => {
    expect(await generation()).toBeUndefined()
    const [one, other] = [await polled(), await polled()]
    const word = (await generation()) as string
    expect(word).toMatch(/^[\w-]{8}$/)
    const asOf = await settled()
    for (const feed of [one, other]) {
      await pollAfter(feed, 1_000)
      expect(await judge(feed, [], { asOf, generation: word })).toBe('current')
    }
    expect(await generation()).toBe(word)
  })

  it('is the same for all that begin at once', async () => {
    const feeds = [aFeed(), aFeed(), aFeed()]
    await Promise.all(feeds.map(poll))
    const copy = { asOf: await settled(), generation: await generation() }
    for (const feed of feeds) expect(await judge(feed, [], copy)).toBe('current')
  })

  it('is not replaced once more by a process that has seen the same', async () => {
    const [asked, go] = [aGate(), aGate()]
    let isFirst = true
    answer = async work => {
      const found = await database.poll(work)
      if (!isFirst) return found
      isFirst = false
      asked.open()
      await go.opened
      return found
    }
    const late = aFeed()
    const polling = poll(late)
    await asked.opened
    const other = await polled()
    const word = await generation()
    go.open()
    await polling
    expect(await generation()).toBe(word)
    const copy = { asOf: await settled(), generation: word }
    for (const feed of [late, other]) expect(await judge(feed, [], copy)).toBe('current')
  })

  it.each([
    ['was lost', () => database.run(db => db.delete(sessionCopies))],
    [
      'was restored from a dump, by another transaction',
      () => database.run(db => db.execute(sql`update session_copies set generation = generation`)),
    ],
    [
      'was written on another timeline',
      () =>
        database.run(db =>
          db.execute(sql`update session_copies set timeline = '0000000F', written_by = pg_current_xact_id()`),
        ),
    ],
  ])('is another one when it %s', async (_, happen) => {
    const feed = await polled()
    const asOf = await settled()
    const before = await generation()
    await happen()
    await pollAfter(feed, 1_000)
    const after = await generation()
    expect(after).toMatch(/^[\w-]{8}$/)
    expect(after).not.toBe(before)
    expect(await judge(feed, [], { asOf, generation: before })).toBe('outdated')
    expect(await judge(feed, [], { asOf, generation: after })).toBe('current')
    await pollAfter(feed, 1_000)
    expect(await generation()).toBe(after)
  })

  it('is another one when transactions have lower numbers than before', async () => {
    const feed = await polled()
    const sid = aSid()
    const before = await generation()
    const asOf = await settled()
    await change({ sid })
    let isOlder = true
    answer = async <T>(work: (db: Db) => Promise<T>) => {
      const found = await database.poll(work)
      if (!isOlder) return found
      isOlder = false
      return { rows: rowsOf<object>(found as never).map(row => ({ ...row, settled: '3' })) } as T
    }
    await pollAfter(feed, 1_000)
    expect(isOlder).toBe(false)
    expect(await generation()).not.toBe(before)
    expect(await judge(feed, [], { asOf, generation: before })).toBe('outdated')
    // What is known is read anew, from the beginning.
    expect(await judge(feed, [sid], { asOf })).toBe('outdated')
    expect(await judge(feed, [aSid()], { asOf })).toBe('current')
  })

  it('is taken over from another process that replaced it', async () => {
    const [one, other] = [await polled(), await polled()]
    await database.run(db => db.delete(sessionCopies))
    await pollAfter(one, 1_000)
    const word = await generation()
    const asOf = await settled()
    expect(await judge(other, [], { asOf, generation: word })).toBe('outdated')
    await poll(other)
    expect(await generation()).toBe(word)
    expect(await judge(other, [], { asOf, generation: word })).toBe('current')
  })
})
