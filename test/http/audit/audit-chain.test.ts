import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  AuditLog,
  AuditSealer,
  AuditVerifier,
  type Checkpoint,
  type Db,
  openDatabase,
  type Verified,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { ocsfFaults } from '../../support/ocsf/ocsf-faults.js'
import { anOwner, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { run } from '../../support/processes/run-program.js'
import { anApp, BACKENDS, type Backend, TestApp, USUAL_BACKEND } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'

const EVENT = { action: 'user.create', outcome: 'ok', client: null } as const
const TABLES = ['audit_log', 'audit_chain']

type VerifiedWithFaults = Verified & { readonly told: string[] }

async function verify(app: TestApp, noted?: Checkpoint): Promise<VerifiedWithFaults> {
  const told: string[] = []
  const verified = await app.get(AuditVerifier).verify(fault => told.push(fault), noted)
  expect(verified.faults).toBe(told.length)
  return { ...verified, told }
}

function record(app: TestApp, count: number): Promise<void> {
  return app.database.transaction(async db => {
    for (let number = 0; number < count; number += 1)
      await app.get(AuditLog).record(db, { ...EVENT, detail: { number, name: 'ü' } })
  })
}

/** More than one page of anything. */
async function recordMany(app: TestApp, count: number): Promise<void> {
  await app.query(sql`
      insert into audit_log (at, action, outcome, detail)
      select now(), 'user.create', 'ok', json_build_object('number', n) from generate_series(1, ${count}::int) n`)
}

/** As somebody who owns the database. */
function execute(app: TestApp, ...statements: string[]): Promise<unknown[]> {
  return app.database.transaction(async db => {
    for (const table of TABLES) await db.execute(sql.raw(`alter table ${table} disable trigger all`))
    const results = []
    for (const statement of statements) results.push(await db.execute(sql.raw(statement)))
    for (const table of TABLES) await db.execute(sql.raw(`alter table ${table} enable trigger all`))
    return results
  })
}

async function countOf(app: TestApp, from: string): Promise<number> {
  const [row] = await app.query<{ count: number }>(`select count(*)::int as count from ${from}`)
  return row?.count as number
}

describe('The chain of the audit log', () => {
  const app = anApp()
  beforeAll(async () => {
    await signIn(app, await anOwner(app), 'main')
    await record(app, 20)
    // With its first search of the whole log.
    await app.get(AuditSealer).run()
  })

  slow('grows by itself within seconds, and what is noted is sealed too', async () => {
    await signIn(app, await anOwner(app), 'main')
    await app.post('/api/refresh', undefined, {})
    await eventually(async () => (await countOf(app, 'audit_chain')) === (await countOf(app, 'audit_log')), {
      what: 'the sealer',
    })
  })

  it('cannot be changed, nor emptied', async () => {
    for (const statement of [
      'update audit_chain set hash = 1',
      'delete from audit_chain',
      'truncate audit_chain',
    ])
      await expect(app.query(sql.raw(statement))).rejects.toMatchObject({
        cause: { message: 'audit_chain is append-only' },
      })
  })

  describe('shows to who verifies that somebody', () => {
    beforeEach(async () => {
      await verify(app)
      await execute(app, ...TABLES.map(table => `create table saved_${table} as table ${table}`))
    })
    afterEach(async () => {
      const restored = TABLES.flatMap(table => [
        `delete from ${table}`,
        `insert into ${table} overriding system value select * from saved_${table}`,
        `drop table saved_${table}`,
      ])
      await execute(app, ...restored)
    })

    slow.each([
      ['changed the outcome of a row', `update audit_log set outcome = 'failed' where id = 10`],
      ['moved a row out of time', `update audit_log set at = 'infinity' where id = 10`],
      ['changed a detail', `update audit_log set detail = '{"number":0,"name":"u"}' where id = 10`],
      ['took the address away', `update audit_log set ip = null where action = 'login'`],
      ['changed a seal', `update audit_chain set hash = repeat('a', 64) where position = 10`],
    ])('%s', async (_, statement) => {
      await execute(app, statement)
      const { told } = await verify(app)
      expect(told[0]).toMatch(/^Row \d+ \(position \d+\) or its seal was changed$/)
    })

    it('removed a row', async () => {
      await execute(app, 'delete from audit_log where id = 10')
      expect((await verify(app)).told).toEqual(['Row 10 (position 10) was removed'])
    })

    it('removed a row with its seal', async () => {
      await execute(app, 'delete from audit_log where id = 10', 'delete from audit_chain where audit_id = 10')
      expect((await verify(app)).told).toEqual([
        'Position 11 comes where 10 should: seals were removed between',
      ])
    })

    it('removed a row with its seal and moved the others up', async () => {
      const last = await countOf(app, 'audit_chain')
      await execute(
        app,
        'delete from audit_log where id = 10',
        'delete from audit_chain where audit_id = 10',
        `update audit_chain set position = -position where position > 10`,
        `update audit_chain set position = -position - 1 where position < -10`,
      )
      const { told, sealed } = await verify(app)
      expect(told).toEqual(['Row 11 (position 10) or its seal was changed'])
      expect(sealed).toBe(last - 1)
    })

    it('changed more rows than anybody reads, of which the first thousand are named', async () => {
      await recordMany(app, 1_100)
      await verify(app)
      await execute(app, `update audit_log set outcome = 'failed'`)
      const told: string[] = []
      const unknown = { hash: 'a'.repeat(64) }
      const { sealed, faults } = await app.get(AuditVerifier).verify(fault => told.push(fault), unknown)
      expect(faults).toBe(sealed + 1)
      expect(told).toHaveLength(1_002)
      expect(told[999]).toMatch(/^Row \d+ \(position 1000\) or its seal was changed$/)
      expect(told[1_000]).toBe(`and ${sealed - 1_000} more rows or seals`)
      expect(told[1_001]).toMatch(/is not in the chain/)
    })

    it('slipped in an old row', async () => {
      await execute(
        app,
        `insert into audit_log (id, at, action, outcome) overriding system value
         values (-5, now() - interval '1 day', 'login', 'ok')`,
      )
      const { told } = await verify(app)
      expect(told).toEqual([expect.stringMatching(/^1 old rows had no seal \(ids -5\)/)])
    })

    it('removed all seals', async () => {
      await execute(app, 'delete from audit_chain')
      const noted = (
        await app.query<{ hash: string }>('select hash from saved_audit_chain where position = 5')
      )[0]
      await execute(app, `update audit_log set outcome = 'failed' where id = 3`)
      expect((await verify(app, noted)).told).toEqual([
        expect.stringMatching(/^The head [0-9a-f]{64} is not in the chain/),
      ])
    })

    it('cut off the end, by a head that was noted', async () => {
      const { head } = await verify(app)
      const [middle] = await app.query<Checkpoint>(
        'select hash, position::int as position from saved_audit_chain where position = 7',
      )
      await execute(
        app,
        'delete from audit_chain where position > 20',
        'delete from audit_log where id not in (select audit_id from audit_chain)',
      )
      expect((await verify(app)).told).toEqual([])
      expect((await verify(app, middle)).told).toEqual([])
      expect((await verify(app, head)).told).toEqual([
        `The head ${head.hash} is not in the chain at position ${head.position}: what it stood for was removed or changed`,
      ])
    })

    it('wrote the whole chain anew, by a head that was noted', async () => {
      const { head } = await verify(app)
      await execute(app, 'delete from audit_chain', `update audit_log set outcome = 'failed' where id = 3`)
      await app.get(AuditSealer).sealWholeLog()
      expect((await verify(app)).told).toEqual([])
      expect((await verify(app, { hash: head.hash })).told).toHaveLength(1)
    })
  })

  it('knows a noted head, and at which position it is', async () => {
    const { head } = await verify(app)
    await record(app, 3)
    expect((await verify(app, head)).told).toEqual([])
    expect((await verify(app, { hash: head.hash })).told).toEqual([])
    expect((await verify(app, { ...head, position: head.position + 1 })).told).toHaveLength(1)
    expect((await verify(app, { hash: 'a'.repeat(64) })).told).toHaveLength(1)
  })

  it('is right over what the service writes, page after page', async () => {
    await recordMany(app, 4_500)
    const { sealed, told, head } = await verify(app)
    expect(told).toEqual([])
    expect(sealed).toBe(await countOf(app, 'audit_log'))
    expect(head).toMatchObject({ position: sealed, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  slow('seals nothing twice, whoever seals at once', async () => {
    await recordMany(app, 2_500)
    const sealer = app.get(AuditSealer)
    await Promise.all([sealer.seal(), sealer.run(), sealer.sealWholeLog(), sealer.seal()])
    expect(await countOf(app, 'audit_chain')).toBe(await countOf(app, 'audit_log'))
    expect((await verify(app)).told).toEqual([])
  })

  slow('says how many rows were left without a seal for minutes, and seals them', async () => {
    const seals = await countOf(app, 'audit_chain')
    // With ids that nobody looks at who seals what is new, which happens at any time.
    await execute(
      app,
      `insert into audit_log (id, at, action, outcome) overriding system value
       select -100 - n, now() - interval '10 minutes', 'login', 'ok' from generate_series(1, 30) n`,
    )
    const { told } = await verify(app)
    expect(told).toEqual([
      expect.stringMatching(/^30 old rows had no seal \(ids (-\d+, ){19}-\d+ and more\)/),
    ])
    expect(await countOf(app, 'audit_chain')).toBe(seals + 30)
    expect((await verify(app)).told).toEqual([])
  })
})

describe('A row that comes to light late', () => {
  const app = anApp()
  beforeAll(async () => {
    // The next search of the whole log is in a day.
    await app.get(AuditSealer).run()
  })

  onServers('is sealed after those with higher ids', async () => {
    const late = await openTransaction()
    await record(app, 5)
    const sealer = app.get(AuditSealer)
    await sealer.seal()
    const before = await countOf(app, 'audit_chain')
    await late.commit()
    await sealer.seal()
    expect(await countOf(app, 'audit_chain')).toBe(before + 1)
    expect(await lastSealed()).toBeLessThan(await highestSealed())
    expect((await verify(app)).told).toEqual([])
  })

  onServers('later than any that we write is found by the search', async () => {
    const late = await openTransaction()
    await record(app, 5)
    const sealer = app.get(AuditSealer)
    await sealer.seal()
    app.clock.advance(200)
    await record(app, 1)
    await sealer.seal()
    await late.commit()
    await sealer.seal()
    expect(await countOf(app, 'audit_chain')).toBe((await countOf(app, 'audit_log')) - 1)
    await sealer.sealWholeLog()
    expect(await countOf(app, 'audit_chain')).toBe(await countOf(app, 'audit_log'))
    app.clock.advance(200)
    await record(app, 1)
    expect(await sealer.seal()).toBe(1)
    expect((await verify(app)).told).toEqual([])
  })

  async function openTransaction() {
    let commit: () => void = () => {}
    const isWritten = new Promise<void>((written, failed) => {
      done = app.database
        .transaction(async (db: Db) => {
          await app.get(AuditLog).record(db, EVENT)
          written()
          await new Promise<void>(resolve => {
            commit = resolve
          })
        })
        .catch(failed)
    })
    await isWritten
    return {
      commit: () => {
        commit()
        return done
      },
    }
  }
  let done: Promise<void>

  const lastSealed = async () =>
    (
      await app.query<{ id: number }>(
        'select audit_id::int as id from audit_chain order by position desc limit 1',
      )
    )[0]?.id as number
  const highestSealed = async () =>
    (await app.query<{ id: number }>('select max(audit_id)::int as id from audit_chain'))[0]?.id as number
})

describe('Two replicas', () => {
  let first: TestApp
  let second: TestApp
  beforeAll(async () => {
    first = await TestApp.start()
    second = await TestApp.start({ ...first.stores })
  })
  afterAll(async () => {
    await second.stop()
    await first.stop()
  })

  slow('make one chain, however they write and seal at once', async () => {
    const writeAndSeal = async (app: TestApp) => {
      for (let round = 0; round < 15; round += 1) {
        await Promise.all([record(app, 20), app.get(AuditSealer).seal()])
        await app.get(AuditSealer).seal()
      }
    }
    await Promise.all([writeAndSeal(first), writeAndSeal(second)])
    const { sealed, told } = await verify(second)
    expect(told).toEqual([])
    expect(sealed).toBe(await countOf(first, 'audit_log'))
  })

  onServers('refuse a fork even without the lock: a position is given once', async () => {
    await record(first, 3)
    await first.get(AuditSealer).seal()
    const link = `select position, -99, hash, sealed_at from audit_chain where position = 3`
    await expect(execute(first, `insert into audit_chain ${link}`)).rejects.toMatchObject({
      cause: { code: '23505' },
    })
  })
})

describe('A service that stops', () => {
  it.each([USUAL_BACKEND])('has sealed what it wrote, on %s', hasSealed)
  slow('has sealed what it wrote, on a laptop', () => hasSealed('embedded'))

  async function hasSealed(backend: Backend): Promise<void> {
    const first = await TestApp.startOn(backend)
    let second: TestApp | undefined
    try {
      await signIn(first, await anOwner(first), 'main')
      await first.request({ method: 'POST', path: '/api/refresh' })
      await first.app.close()
      // Not through a service, which would seal them itself.
      const database = await openDatabase(first.settings)
      const unsealed = await database.run(db =>
        db.execute(sql`select id from audit_log where id not in (select audit_id from audit_chain)`),
      )
      const sealed = await database.run(db => db.execute(sql`select position from audit_chain`))
      await database.onApplicationShutdown()
      expect((unsealed as unknown as { rows: unknown[] }).rows).toEqual([])
      expect((sealed as unknown as { rows: unknown[] }).rows).toHaveLength(3)
      second = await TestApp.startOn(backend, {
        DATABASE_URL: first.settings.databaseUrl,
      })
      expect((await verify(second)).told).toEqual([])
    } finally {
      await second?.stop()
      await first.stop()
    }
  }
})

slowOnServers('The same row has the same seal in both databases', async () => {
  const seals: unknown[] = []
  for (const backend of BACKENDS) {
    const app = await TestApp.startOn(backend)
    try {
      await execute(
        app,
        `insert into audit_log (at, action, outcome, user_id, account_id, sid, ip, user_agent, origin, request_id, detail)
         values ('2026-11-21 10:00:00.12+01', 'login', 'ok', '7F1A2C9E-6b0d-4c55-9a0e-3f5b7c1d2e4f', null, 's', '::1', 'a',
                 'https://a.test', 'r', '{"z":1.50,"a":{"ü":[true,null,1e3]},"aa":"\\u0001\\"","big":12345678901234567890}'),
                ('1969-12-31 23:59:59.999Z', 'logout', 'ok', null, null, null, null, null, null, null, '[]')`,
      )
      await app.get(AuditSealer).seal()
      seals.push(await app.query('select audit_id::int as id, hash from audit_chain order by position'))
    } finally {
      await app.stop()
    }
  }
  expect(seals[0]).toHaveLength(2)
  expect(seals[0]).toEqual(seals[1])
})

describe('npm run cli -- audit:verify', () => {
  const app = anApp()
  beforeAll(async () => {
    await signIn(app, await anOwner(app), 'main')
  })

  slow('prints the head, knows it again, and fails when a row was changed', async () => {
    const rows = String(await countOf(app, 'audit_log'))
    const first = await auditVerify()
    expect(first).toMatchObject({ code: 0, errors: '' })
    const [, count, hash, position] =
      /^(\d+) rows are sealed; head ([0-9a-f]{64}) at (\d+)$/m.exec(first.output) ?? []
    expect([count, position]).toEqual([rows, rows])
    expect(await auditVerify('--head', hash as string, '--at', position as string)).toMatchObject({ code: 0 })
    expect(await auditVerify('--head', hash as string, '--at', '1')).toMatchObject({ code: 1 })
    await execute(app, `update audit_log set outcome = 'failed' where id = 2`)
    const changed = await run('dist/joined/cli.js', ['audit:verify', '--head', hash as string], onItsStores())
    expect(changed).toMatchObject({ code: 1, errors: expect.stringContaining('1 fault in the audit log') })
    expect(changed.output).toContain('Row 2 (position 2) or its seal was changed')
  })

  it.each([[['--head', 'abc']], [['--at', '1']], [['--head', 'a'.repeat(64), '--at', '-1']]])(
    'does not take %j',
    async args => {
      const { code, errors } = await auditVerify(...args)
      expect(code).toBe(1)
      expect(errors).toMatch(/--(head|at) takes/)
    },
  )

  slow('audit:export prints the log of all accounts, or of one, in both formats', async () => {
    const owner = await anOwner(app)
    await execute(app, `insert into audit_log (at, action, outcome) values (now(), 'user.create', 'ok')`)
    const own = await auditExport('--owner', owner.email)
    expect(own.map(({ row }) => row.accountId)).toEqual([owner.accountId, owner.accountId])
    expect(own.at(-1)?.row).toMatchObject({ action: 'audit.export' })
    expect(own[0]).toMatchObject({ email: owner.email, seal: { position: expect.any(Number) } })
    expect(await auditExport('--account', owner.accountId)).toHaveLength(3)
    expect(await auditExport('--to', '2020-01-01T00:00:00Z')).toEqual([])

    const all = await auditExport()
    const events = await auditExport('--format', 'ocsf')
    expect(new Set(all.map(({ row }) => row.accountId)).size).toBe(3)
    expect(events).toHaveLength(all.length + 1)
    expect(events.flatMap(ocsfFaults)).toEqual([])
  })

  const doesNotTake = async (args: string[], why: RegExp) => {
    const { code, output, errors } = await runInProcess(['audit:export', ...args], onItsStores())
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toMatch(why)
  }

  it.each([
    [['--format', 'csv'], /ocsf/],
    [['--from', 'yesterday'], /is not a time/],
  ])('audit:export does not take %j', doesNotTake)

  onServers.each([
    [['--account', '00000000-0000-4000-8000-000000000000'], /no account/],
    [['--owner', 'nobody@main.test'], /no user/],
    [['--owner', 'a@main.test', '--account', '00000000-0000-4000-8000-000000000000'], /either/],
  ])('audit:export does not take %j, of which it asks the database', doesNotTake)

  // biome-ignore lint/suspicious/noExplicitAny: lines of two formats.
  async function auditExport(...args: string[]): Promise<any[]> {
    const { code, output } = await runInProcess(['audit:export', ...args], onItsStores())
    expect(code).toBe(0)
    return output
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  }

  const onItsStores = () => ({ NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores })

  function auditVerify(...args: string[]) {
    return runInProcess(['audit:verify', ...args], onItsStores())
  }
})
