// What a run starts, and where: programs on cores of their own, Redis, PostgreSQL. All of it is gone when the run ends.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { createClient } from 'redis'

/** The checkout: the service reads its migrations and its config from the folder it is started in. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Everything that a run writes. Gone when the process ends, however it ends short of a SIGKILL. */
export const FOLDER = mkdtempSync(join(tmpdir(), 'mainstay-bench-'))

/** What is measured has a core of its own; stores and load generator share the other. */
export const MEASURED_CORE = '0'
export const OTHER_CORE = '1'
export const BOTH_CORES = '0,1'

if (availableParallelism() < 2) throw new Error('The bench needs two cores: one is for what it measures')

process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true, maxRetries: 5 }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => process.exit(1))

/** The children that run now. */
export const running = new Set()

// PostgreSQL takes SIGQUIT for "now"; after a SIGKILL it would leave shared memory behind.
process.on('exit', () => {
  for (const child of running) child.process.kill(child.endSignal === 'SIGINT' ? 'SIGQUIT' : 'SIGKILL')
})

/** Ends all children in order; `isMeant` picks some of them. */
export async function stopAll(isMeant = () => true) {
  await Promise.all([...running].filter(isMeant).map(child => child.stop()))
}

const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 10_000
/** Linux counts a process's time in hundredths of a second (USER_HZ, proc(5)). */
const TICKS_A_SECOND = 100

/** One program that a run starts, pinned to `cores`, with its output in a file. */
export class Child {
  /**
   * Resolves when `isReady` answers true; rejects with the end of its output when it ends before that.
   * `endSignal` ends it in order. `messages` opens a channel for `ask`.
   */
  static async start(options) {
    const child = new Child(options)
    await once(child.process, 'spawn')
    const deadline = performance.now() + READY_WITHIN_MS
    while (!(await options.isReady(child).catch(() => false))) {
      if (child.hasEnded) throw new Error(`${options.name} ended at its start:\n${child.outputEnd()}`)
      if (performance.now() > deadline) throw new Error(`${options.name} is not ready:\n${child.outputEnd()}`)
      await sleep(options.askEveryMs ?? 20)
    }
    return child
  }

  constructor({ name, command, args, cores, cwd, env, messages, user, endSignal = 'SIGTERM' }) {
    this.name = name
    this.command = command
    this.endSignal = endSignal
    this.outputFile = join(FOLDER, `${name}.log`)
    const output = openSync(this.outputFile, 'a')
    const pinned = cores ? ['taskset', '--cpu-list', cores, command, ...args] : [command, ...args]
    this.startedAt = performance.now()
    this.process = spawn(pinned[0], pinned.slice(1), {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', output, output, ...(messages ? ['ipc'] : [])],
      ...user,
    })
    closeSync(output)
    running.add(this)
    this.process.once('exit', () => running.delete(this))
  }

  get hasEnded() {
    return this.process.exitCode !== null || this.process.signalCode !== null
  }

  /** Processor time used so far, all threads, in seconds. */
  cpuSeconds() {
    const [, rest] = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
  }

  /** Resident memory in bytes. */
  residentBytes() {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) * 1024
  }

  /** Moves every thread to these cores. */
  pin(cores) {
    execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(this.process.pid)])
  }

  /** The answer to a message, for a child that was started with `messages`. */
  async ask(message) {
    const answered = new AbortController()
    const { signal } = answered
    const answer = once(this.process, 'message', { signal })
    const ended = once(this.process, 'exit', { signal }).then(() => {
      throw new Error(`${this.name} ended:\n${this.outputEnd()}`)
    })
    this.process.send(message)
    try {
      const [value] = await Promise.race([answer, ended])
      return value
    } finally {
      // Whichever of the two has not come is not waited for any more.
      void Promise.allSettled([answer, ended])
      answered.abort()
    }
  }

  async stop() {
    if (this.hasEnded) return
    const ended = once(this.process, 'exit')
    this.process.kill(this.endSignal)
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_WITHIN_MS)
    await ended
    clearTimeout(timer)
  }

  outputEnd() {
    return readFileSync(this.outputFile, 'utf8').slice(-2_000)
  }
}

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

/** A port of which the one 10,000 above is free too, which nodes of a Redis Cluster talk to each other at. */
export async function freeClusterPort() {
  for (;;) {
    const port = await freePort()
    if (port + 10_000 < 65_536 && (await isFree(port + 10_000))) return port
  }
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1')
  const isListening = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false)
  server.close()
  return isListening
}

/** A TCP port that nothing listens on at 127.0.0.1. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Installs wrk where this machine has apt-get and we are root. Ends the process with a message otherwise. */
export function installWrk() {
  for (const program of ['taskset', 'wrk']) {
    if (isPresent(program)) continue
    if (program === 'wrk' && process.getuid?.() === 0 && isPresent('apt-get')) aptInstall()
    if (!isPresent(program)) fail(`The bench needs ${program} (Linux). Please install it.`)
  }
}

function isPresent(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

function aptInstall() {
  console.error('Installing wrk …')
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  }
  const lock = ['-o', 'DPkg::Lock::Timeout=120']
  // Without fresh lists the install may still find it.
  spawnSync('apt-get', [...lock, 'update'], options)
  spawnSync('apt-get', [...lock, 'install', '--yes', '--no-install-recommends', 'wrk'], options)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
