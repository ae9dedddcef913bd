import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migratePostgres } from '../../sources.js'
import { freePort } from '../processes/free-port.js'
import { ServerFolder } from '../processes/server-folder.js'
import { ServerProcess } from '../processes/server-process.js'
import { postgresProgram } from './postgres-program.js'

export interface PostgresServer {
  /** `postgres://postgres@127.0.0.1:<port>/postgres` */
  readonly url: string
  readonly port: number
  /** Changes at `restart()`. */
  readonly pid: number
  /** SIGQUIT crashes it; SIGINT ends it in order, with its connections. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** The same port and data again. */
  restart(): Promise<void>
  /** Ends it and removes its data; safe to repeat. */
  stop(): Promise<void>
}

/**
 * A real PostgreSQL on 127.0.0.1 in a temporary folder: empty, or a standby that follows the one at `standbyOf`. Resolves
 * when it takes connections.
 */
export async function startPostgres({
  standbyOf,
  backup,
  settings: given = {},
}: {
  standbyOf?: string
  /** The folder of a base backup, which is copied. */
  backup?: string
  /** Further settings of the server, which win. */
  settings?: Readonly<Record<string, string>>
} = {}): Promise<PostgresServer> {
  const port = await freePort()
  // SIGQUIT and not SIGKILL: after that it would leave shared memory behind.
  const folder = await ServerFolder.create('postgres', 'QUIT')
  const data = join(folder.path, 'data')
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  try {
    if (user) await chown(folder.path, user.uid, user.gid)
    if (backup) copyBackup(backup, data, user)
    else {
      const [program, ...args] = standbyOf ? copyOf(standbyOf) : newDatabase()
      execFileSync(program, [...args, '--no-sync', `--pgdata=${data}`], { cwd: '/', stdio: 'pipe', ...user })
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder.path,
    max_connections: 200,
    // The data live for one test run: they must survive a crash of the server, not of the machine.
    fsync: 'off',
    full_page_writes: 'off',
    ...given,
  }
  const server = await ServerProcess.start({
    command: postgresProgram('postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    folder,
    isReady: () => query(url, 'SELECT 1').then(() => true),
    endSignal: 'SIGQUIT',
    user,
  })
  return {
    url,
    port,
    get pid() {
      return server.pid
    },
    kill: signal => server.kill(signal),
    restart: () => server.restart(),
    stop: () => server.stop(),
  }
}

function copyBackup(from: string, to: string, user?: { uid: number; gid: number }): void {
  execFileSync('cp', ['-a', from, to])
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, to])
}

function newDatabase() {
  return [
    postgresProgram('initdb'),
    ...['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale'],
  ] as const
}

function copyOf(url: string) {
  return [
    postgresProgram('pg_basebackup'),
    ...['--write-recovery-conf', '--checkpoint=fast', `--dbname=${url}`],
  ] as const
}

/** The database that those of {@link createDatabase} are copies of: with our schema, and nothing else in it. */
const TEMPLATE = 'template_of_tests'
const NO_SUCH_DATABASE = '3D000'
/** An arbitrary number. */
const TEMPLATE_LOCK = 4_217_001

export interface TestDatabase {
  readonly url: string
  /** Ends what is still connected to it; safe to repeat. */
  drop(): Promise<void>
}

/**
 * A new database on the one server that the whole test run shares, with our schema unless it has to be empty. Sessions
 * begin with its own `settings`. With an `icuLocale` it has to be empty.
 */
export async function createDatabase({
  isEmpty = false,
  icuLocale,
  settings = {},
}: {
  isEmpty?: boolean
  icuLocale?: string
  settings?: Readonly<Record<string, string>>
} = {}): Promise<TestDatabase> {
  const serverUrl = sharedServerUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  const empty = icuLocale ? `template0 LOCALE_PROVIDER icu ICU_LOCALE '${icuLocale}'` : 'template1'
  const template = isEmpty ? empty : TEMPLATE
  const create = () => query(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  await create().catch(async error => {
    if (isEmpty || error.code !== NO_SUCH_DATABASE) throw error
    await makeTemplate(serverUrl)
    await create()
  })
  for (const [setting, value] of Object.entries(settings))
    await query(serverUrl, `ALTER DATABASE ${name} SET ${setting} = '${value}'`)
  return {
    url: databaseAt(serverUrl, name),
    drop: () => query(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

/**
 * Made by whoever needs it first. In the global setup, our sources would be loaded once more, and in a run without
 * workers, of a single file, two copies of a package do not know each other's classes.
 */
async function makeTemplate(serverUrl: string): Promise<void> {
  await connected(serverUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE])
    if (rowCount) return
    const unfinished = `${TEMPLATE}_unfinished`
    await client.query(`DROP DATABASE IF EXISTS ${unfinished}`)
    await client.query(`CREATE DATABASE ${unfinished}`)
    await migratePostgres(databaseAt(serverUrl, unfinished), () => {})
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${TEMPLATE}`)
  })
}

function databaseAt(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

function sharedServerUrl(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url)
    throw new Error('TEST_POSTGRES_URL is not set: the test run was not started through test/jest.config.mjs')
  return url
}

async function query(url: string, sql: string): Promise<void> {
  await connected(url, client => client.query(sql))
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000 })
  client.on('error', () => {
    // The server went away under an idle connection; the query itself rejects when it matters.
  })
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}

// PostgreSQL refuses to run as root; its package makes this user.
export function unprivilegedUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
