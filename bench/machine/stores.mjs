import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { createClient } from 'redis'
import { Child } from './child.mjs'
import { freePort } from './free-port.mjs'
import { FOLDER, OTHER_CORE } from './machine.mjs'

const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** A real Redis without persistence; gives back its URL. `given` are further settings. */
export async function startRedis(name, given = {}) {
  const port = given.port ?? (await freePort())
  const url = `redis://127.0.0.1:${port}`
  const settings = { port, bind: '127.0.0.1', dir: FOLDER, save: '', appendonly: 'no', ...given }
  await Child.start({
    name,
    command: 'redis-server',
    args: Object.entries(settings).flatMap(([setting, value]) => [`--${setting}`, String(value)]),
    cores: OTHER_CORE,
    isReady: () => withRedis(url, redis => redis.ping()),
  })
  return url
}

export async function withRedis(url, work) {
  const redis = createClient({ url, socket: { reconnectStrategy: false } })
  redis.on('error', () => {})
  await redis.connect()
  try {
    return await work(redis)
  } finally {
    redis.destroy()
  }
}

/** A real, empty PostgreSQL with the durability it has by default; gives back its URL. */
export async function startPostgres() {
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const folder = join(FOLDER, 'postgres')
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  mkdirSync(folder)
  if (user) letIn(folder, user)
  const initdb = ['--pgdata', folder, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale']
  execFileSync(postgresProgram('initdb'), initdb, { cwd: '/', stdio: 'pipe', ...user })
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  await Child.start({
    name: 'postgresql',
    command: postgresProgram('postgres'),
    args: ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    cores: OTHER_CORE,
    cwd: folder,
    user,
    endSignal: 'SIGINT',
    isReady: () => query(url, 'select 1'),
  })
  return url
}

export async function query(url, sql) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

// PostgreSQL refuses to run as root; its package makes this user.
function unprivilegedUser() {
  const id = flag => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

// The folder of the run is its owner's alone; PostgreSQL has to get through it.
function letIn(folder, { uid, gid }) {
  execFileSync('chmod', ['o+x', FOLDER])
  chownSync(folder, uid, gid)
}

function postgresProgram(name) {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : []
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a))
  const paths = newestFirst.map(version => join(DEBIAN_FOLDER, version, 'bin', name))
  return paths.find(path => existsSync(path)) ?? name
}
