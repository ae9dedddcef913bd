import { once } from 'node:events'
import { connect } from 'node:net'
import { freePort } from '../processes/free-port.js'
import { ServerFolder } from '../processes/server-folder.js'
import { ServerProcess } from '../processes/server-process.js'
import { infoField, redisCli } from './redis-cli.js'

export interface RedisServer {
  /** `redis://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  /** Changes at `restart()`. */
  readonly pid: number
  /** SIGKILL crashes it, SIGSTOP makes it hang, SIGCONT lets it go on. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** The same port and folder again. Comes back empty-handed unless `args` asked for persistence. */
  restart(): Promise<void>
  /** Ends it and removes its folder; safe to repeat. */
  stop(): Promise<void>
}

/**
 * A real Redis on 127.0.0.1 in a temporary folder: no persistence, nothing evicted. `args` are more
 * options of redis-server and win over these. Resolves when it answers.
 */
export async function startRedis(options: { args?: string[]; port?: number } = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort())
  const folder = await ServerFolder.create('redis', 'KILL')
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder.path,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  }
  const server = await ServerProcess.start({
    command: 'redis-server',
    args: [
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      ...(options.args ?? []),
    ],
    folder,
    isReady: () => answers(port),
    endSignal: 'SIGTERM',
  })
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return server.pid
    },
    kill: signal => server.kill(signal),
    restart: () => server.restart(),
    stop: () => server.stop(),
  }
}

/** Of a run of all tests; each that is not used costs some hundred bytes. */
const SHARED_DATABASES = 10_000

/** The one that the tests share; see {@link redisDatabase}. */
export function startSharedRedis(): Promise<RedisServer> {
  return startRedis({ args: ['--databases', String(SHARED_DATABASES)] })
}

/** The URL of an empty database on the server that the whole test run shares. Nobody else gets the same one. */
export async function redisDatabase(): Promise<string> {
  const url = process.env.TEST_REDIS_URL as string
  // By hand: to put a client together takes as long as to start a tenth of the service.
  const socket = connect(Number(new URL(url).port), '127.0.0.1').end('INCR databases\r\n')
  const [answer] = await once(socket, 'data')
  return `${url}/${String(answer).slice(1).trim()}`
}

/** Whether the replica on `port` has a live link to its master and has read what the master held. */
export async function isReplicaInStep(port: number): Promise<boolean> {
  return infoField(await redisCli(port, 'INFO', 'replication'), 'master_link_status') === 'up'
}

// NOAUTH is an answer too: a test may have asked for a password.
async function answers(port: number): Promise<boolean> {
  const reply = await redisCli(port, 'PING')
  return reply === 'PONG' || reply.startsWith('NOAUTH')
}
