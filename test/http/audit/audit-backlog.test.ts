import { beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  ALL_IDS,
  AuditSealer,
  AuditVerifier,
  auditChain,
  auditLog,
  Database,
  type IdRange,
  MAX_ROWS_AWAITED,
  rangesAbove,
  sealedUpTo,
  secondsAfter,
  unsealedRows,
} from '../../sources.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { type Read, readBy } from '../support/read-by.js'

const WAITING = 45_000
const ROWS_A_RANGE = 10_000

const app = anApp()
let database: Database
beforeAll(async () => {
  database = app.database
  // Its search of the whole log; the next is in a day.
  await app.get(AuditSealer).run()
  // In one statement, and without ANALYZE, as after an import.
  await database.maintain(db =>
    db.execute(sql`
      insert into audit_log (at, action, outcome)
      select now(), 'user.import', 'ok' from generate_series(1, ${WAITING}::int)`),
  )
})

describe('Rows of the audit log that wait for their seals, many thousands', () => {
  test('are looked at in ranges, however many follow', async () => {
    const [range] = await take(rangesAbove(database, ALL_IDS.after, ROWS_A_RANGE), 1)
    const read = await readBy(database, db => unsealedRows(db, range as IdRange, 1_000))
    expect(read.rows).toBeGreaterThanOrEqual(1_000)
    expect(read.rows).toBeLessThanOrEqual(2 * ROWS_A_RANGE)
  })

  slow('do not make anybody wait for all of them', async () => {
    const sealed = await app.get(AuditSealer).seal(MAX_ROWS_AWAITED)
    expect(sealed).toBeGreaterThanOrEqual(MAX_ROWS_AWAITED)
    expect(sealed).toBeLessThanOrEqual(MAX_ROWS_AWAITED + ROWS_A_RANGE)
  })

  slow('are all sealed in the end, and the start of the next run is found in a few places', async () => {
    await app.get(AuditSealer).seal()
    const { seals, rows } = await counts()
    expect(seals).toBe(rows)
    const whileNew = await startBefore(-200)
    expect(whileNew.above).toBe(ALL_IDS.after)
    app.clock.advance(200)
    const whenOld = await startBefore(0)
    expect(whenOld.above).toBe(await highestId())
    for (const { read } of [whileNew, whenOld]) expect(read.rows).toBeLessThanOrEqual(2_100)
    expect(await app.get(AuditSealer).seal()).toBe(0)
    const faults: string[] = []
    await app.get(AuditVerifier).verify(fault => faults.push(fault))
    expect(faults).toEqual([])
  })
})

async function startBefore(secondsFromNow: number): Promise<{ above: number; read: Read }> {
  const time = secondsAfter(app.clock.now(), secondsFromNow)
  let above = 0
  const read = await readBy(database, async db => {
    above = await sealedUpTo(db, time)
  })
  return { above, read }
}

async function take<T>(all: AsyncIterable<T>, most: number): Promise<T[]> {
  const taken: T[] = []
  for await (const one of all) if (taken.push(one) === most) break
  return taken
}

function counts() {
  return database.run(async db => ({
    seals: await db.$count(auditChain),
    rows: await db.$count(auditLog),
  }))
}

async function highestId() {
  const [row] = await database.run(db =>
    db.select({ id: auditLog.id }).from(auditLog).orderBy(sql`${auditLog.id} desc`).limit(1),
  )
  return row?.id
}
