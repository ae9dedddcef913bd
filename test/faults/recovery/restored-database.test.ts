import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import pg from 'pg'
import { permissionsIn } from '../../http/support/paying.js'
import { aSubscriber, statusOf } from '../../http/support/subscriber.js'
import { KNOWN_EVERYWHERE_AFTER_MS, permissionsOf, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { createDatabase, type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { getCopied } from '../support/copies.js'
import { logout, refresh } from '../support/requests.js'
import { runDocumented } from './documented-commands.js'

const RESTORED = 'PostgreSQL was restored'
const ENDED = { status: 401, json: { code: 'SESSION_NOT_FOUND' } }

/** With some time for a poll that comes late. */
const OLDEST_MARK_MS = 2_000 + KNOWN_EVERYWHERE_AFTER_MS

let backups: string
let redis: RedisServer
const cleanUp: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'mainstay-backups-'))
  // PostgreSQL runs as another user and archives below it.
  await chmod(backups, 0o755)
  redis = await startRedis()
})
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
  await redisCli(redis.port, 'FLUSHALL')
})
afterAll(async () => {
  await redis?.stop()
  await rm(backups, { recursive: true })
})

it('a dump that is restored under a running service: copies are worth nothing, and sessions are as the dump has them', async () => {
  const database = await createDatabase()
  cleanUp.push(() => database.drop())
  const app = await startOn(database.url)
  const { owner, kept, revoked, ended } = await people(app)
  const member = await aMember(app, owner)
  await app.get(UserAdministration).grant(member, permissionsOf(['viewReports']))
  const asMember = await signIn(app, member, 'satellite')
  const payer = await aSubscriber(app)
  const variables = commandsOf(app)
  await runDocumented('Backup', 'pg_dump', variables)
  await runDocumented('Backup', 'secrets-keys.json', variables)

  expect(await logout(app, revoked)).toMatchObject({ status: 204 })
  const newcomer = await signIn(app, owner, 'satellite')
  await app.get(UserAdministration).grant(member, permissionsOf(['dataEntry', 'viewReports']))
  await getCopied(app, kept, newcomer, asMember)
  expect(permissionsIn((await refresh(app, asMember)).json.accessToken)).toContain('dataEntry')
  await emptyDatabase(database.url)
  await runDocumented(RESTORED, 'pg_restore', variables)

  // The service sees it, and so does one that starts now.
  await eventually(async () => (await refresh(app, newcomer)).status === 401, {
    what: 'the service to notice',
  })
  const restarted = await startOn(database.url, app)
  for (const server of [app, restarted]) {
    for (const session of [ended, newcomer]) expect(await refresh(server, session)).toMatchObject(ENDED)
    for (const session of [kept, revoked])
      expect(await refresh(server, session)).toMatchObject({ status: 200 })
    expect(permissionsIn((await refresh(server, asMember)).json.accessToken)).toEqual(['viewReports'])
  }
  expect(await sendLogin(app, owner)).toMatchObject({ status: 200 })

  await runDocumented(RESTORED, 'secrets-keys.json', variables)
  await runDocumented(RESTORED, 'one_time_tokens', variables)
  const generation = () => rowsOf(database.url, 'select generation from session_copies')
  const before = await generation()
  await runDocumented(RESTORED, 'session_copies', variables)
  await eventually(async () => (await generation()).length === 1, { what: 'another generation' })
  expect(await generation()).not.toEqual(before)
  // What is ended and taken now counts, although its numbers were given once before.
  for (const server of [app, restarted]) await getCopied(server, kept, asMember)
  expect(await logout(app, kept)).toMatchObject({ status: 204 })
  await app.get(UserAdministration).grant(member, permissionsOf([]))
  for (const server of [app, restarted]) {
    expect(await refresh(server, kept)).toMatchObject(ENDED)
    expect(permissionsIn((await refresh(server, asMember)).json.accessToken)).toEqual([])
  }
  expect(await runDocumented(RESTORED, 'audit:verify', variables)).toContain('rows')
  expect(await statusOf(app, await signIn(app, payer.owner, 'main'))).toBe('active')
})

it('a base backup and its log, restored to a moment: as it was then', async () => {
  const archive = join(backups, 'archive')
  execFileSync('install', ['-d', '-m', '777', archive])
  const settings = {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  }
  const postgres = await startServer({ settings })
  const app = await startOn(postgres.url)
  const { owner, kept, revoked, ended } = await people(app)
  await runDocumented('Backup', 'pg_basebackup', commandsOf(app))
  const lateOwner = await anOwner(app)
  const [{ now: moment }] = await rowsOf(postgres.url, 'select now()::text')
  expect(await logout(app, revoked)).toMatchObject({ status: 204 })
  const newcomer = await signIn(app, owner, 'satellite')
  await getCopied(app, kept, newcomer)
  const [{ segment }] = await rowsOf(postgres.url, 'select pg_walfile_name(pg_switch_wal()) as segment')
  await eventually(async () => {
    const [{ archived }] = await rowsOf(
      postgres.url,
      'select last_archived_wal as archived from pg_stat_archiver',
    )
    return archived >= segment
  })
  await postgres.stop()

  await runDocumented(RESTORED, 'recovery.signal', {
    BACKUPS: backups,
    ARCHIVE: archive,
    RECOVERY_TIME: moment,
  })
  const restored = await startServer({ backup: join(backups, 'base') })
  await eventually(async () => {
    const [{ isInRecovery }] = await rowsOf(restored.url, 'select pg_is_in_recovery() as "isInRecovery"')
    return !isInRecovery
  })
  // Copies of what was after that moment are in Redis.
  const again = await startOn(restored.url, app)
  for (const session of [ended, newcomer]) expect(await refresh(again, session)).toMatchObject(ENDED)
  for (const session of [kept, revoked]) expect(await refresh(again, session)).toMatchObject({ status: 200 })
  expect(await sendLogin(again, lateOwner)).toMatchObject({ status: 200 })
})

it('a disk image that is put back while no service runs: copies are worth nothing once that was said', async () => {
  const postgres = await startServer({})
  const [{ data_directory: data }] = await rowsOf(postgres.url, 'show data_directory')
  const app = await startOn(postgres.url)
  const member = await aMember(app, await anOwner(app))
  await app.get(UserAdministration).grant(member, permissionsOf(['viewReports']))
  const session = await signIn(app, member, 'satellite')
  await postgres.kill('SIGQUIT')
  execFileSync('cp', ['-a', data, `${data}-image`])
  await postgres.restart()
  await eventually(async () => (await refresh(app, session)).status === 200)
  await app.get(UserAdministration).grant(member, permissionsOf(['dataEntry', 'viewReports']))
  // The copy is newer than any change in the image.
  await sleep(OLDEST_MARK_MS)
  await redisCli(redis.port, 'FLUSHALL')
  await getCopied(app, session)
  // The service ends before.
  await cleanUp.pop()?.()
  await postgres.kill('SIGQUIT')
  execFileSync('rm', ['-r', data])
  execFileSync('mv', [`${data}-image`, data])
  await postgres.restart()

  await runDocumented(RESTORED, 'session_copies', { ...commandsOf(app), DATABASE_URL: postgres.url })
  const again = await startOn(postgres.url, app)
  for (let times = 0; times < 3; times++)
    expect(permissionsIn((await refresh(again, session)).json.accessToken)).toEqual(['viewReports'])
})

it('a region that is gone: the standby has everything, sessions too', async () => {
  const first = await startServer({})
  const standby = await startServer({ standbyOf: first.url })
  await rowsOf(first.url, "alter system set synchronous_standby_names = '*'")
  await rowsOf(first.url, 'select pg_reload_conf()')
  const app = await startOn(first.url)
  const { owner, kept, revoked } = await people(app)
  await getCopied(app, kept)
  expect(await logout(app, revoked)).toMatchObject({ status: 204 })
  await Promise.all([first.kill('SIGQUIT'), redisCli(redis.port, 'FLUSHALL')])

  const variables = { ...commandsOf(app), DATABASE_URL: standby.url }
  await runDocumented('Region loss', 'pg_promote', variables)
  const moved = await startOn(standby.url, app)
  expect(await refresh(moved, kept)).toMatchObject({ status: 200 })
  expect(await refresh(moved, revoked)).toMatchObject(ENDED)
  expect(await sendLogin(moved, owner)).toMatchObject({ status: 200 })
})

/** With the keys of another replica, if any. */
async function startOn(url: string, beside?: TestApp): Promise<TestApp> {
  const keys = beside && {
    JWT_KEYS_FILE: beside.settings.jwtKeysFile,
    SECRETS_KEYS_FILE: beside.settings.secretsKeysFile,
    JWT_ISSUER: beside.settings.jwtIssuer,
  }
  // The machine may be busy; outages have tests of their own.
  const patience = { SESSION_STORE_TIMEOUT_MS: '3000', DATABASE_TIMEOUT_MS: '3000' }
  const stores = { DATABASE_URL: url, SESSION_STORE_URL: redis.url, ...patience }
  const app = await TestApp.start({ ...stores, ...keys })
  cleanUp.push(() => app.stop())
  return app
}

async function startServer(options: Parameters<typeof startPostgres>[0]): Promise<PostgresServer> {
  const server = await startPostgres(options)
  cleanUp.push(() => server.stop())
  return server
}

/** An owner with sessions, one of which has ended already. */
async function people(app: TestApp) {
  const owner = await anOwner(app)
  const open = () => signIn(app, owner, 'satellite')
  const [kept, revoked, ended] = [await open(), await open(), await open()] as [SignedIn, SignedIn, SignedIn]
  expect(await logout(app, ended)).toMatchObject({ status: 204 })
  return { owner, kept, revoked, ended }
}

/** What an operator has set when they run the commands. */
function commandsOf({ settings, stores, sandbox }: TestApp): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATA_DIR: settings.dataDir,
    JWT_KEYS_FILE: settings.jwtKeysFile,
    SECRETS_KEYS_FILE: settings.secretsKeysFile,
    STRIPE_API_URL: sandbox.url,
    ...stores,
    BACKUPS: backups,
  }
}

/** The same database, with nothing in it. */
async function emptyDatabase(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  await rowsOf(server.href, `drop database ${name} with (force)`)
  await rowsOf(server.href, `create database ${name}`)
}

// biome-ignore lint/suspicious/noExplicitAny: each statement has rows of its own.
async function rowsOf(url: string, sql: string): Promise<[any, ...any[]]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows as [unknown]
  } finally {
    await client.end()
  }
}
