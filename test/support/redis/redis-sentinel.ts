import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../eventually.js'
import { freePort } from '../processes/free-port.js'
import { ServerFolder } from '../processes/server-folder.js'
import { ServerProcess } from '../processes/server-process.js'
import { redisCli } from './redis-cli.js'
import { isReplicaInStep, type RedisServer, startRedis } from './redis-server.js'

const GROUP = 'mainstay'

export interface SentinelGroup {
  /** `redis+sentinel://127.0.0.1:s1,…/mainstay` */
  readonly url: string
  /** The master at the start; after a failover it is a replica, or dead. */
  readonly master: RedisServer
  readonly replica: RedisServer
  /** The port of the master as the sentinels see it now. */
  masterPort(): Promise<number>
  stop(): Promise<void>
}

/** A real master, one replica in step, and 1 to 3 sentinels that know them and each other. */
export async function startRedisSentinel({ sentinels = 3 } = {}): Promise<SentinelGroup> {
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    await Promise.all(stops.map(end => end()))
  }
  try {
    const master = await startRedis({ args: ['--repl-diskless-sync-delay', '0'] })
    stops.push(() => crash(master))
    const replica = await startRedis({ args: replicaOf(master.port) })
    stops.push(() => crash(replica))
    await eventually(() => isReplicaInStep(replica.port), { what: 'the replica to be in step' })
    const quorum = Math.floor(sentinels / 2) + 1
    const ports: number[] = []
    for (let count = 0; count < sentinels; count++) {
      const port = await freePort()
      const sentinel = await startSentinel(port, master.port, quorum)
      stops.push(() => sentinel.stop())
      ports.push(port)
    }
    for (const port of ports) {
      await eventually(() => knowsAll(port, sentinels), { what: 'the sentinels to know each other' })
    }
    return {
      url: `redis+sentinel://${ports.map(port => `127.0.0.1:${port}`).join(',')}/${GROUP}`,
      master,
      replica,
      masterPort: () => masterPort(ports[0]!),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function replicaOf(masterPort: number): string[] {
  return ['--replicaof', `127.0.0.1 ${masterPort}`, '--repl-diskless-sync-delay', '0']
}

async function crash(server: RedisServer): Promise<void> {
  await server.kill('SIGKILL')
  await server.stop()
}

async function startSentinel(port: number, masterPort: number, quorum: number): Promise<ServerProcess> {
  const folder = await ServerFolder.create('sentinel', 'KILL')
  const settingsFile = join(folder.path, 'sentinel.conf')
  // A file, not arguments: a sentinel writes what it learns back into it.
  await writeFile(
    settingsFile,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder.path}`,
      `sentinel monitor ${GROUP} 127.0.0.1 ${masterPort} ${quorum}`,
      // Milliseconds of silence before the master counts as down.
      `sentinel down-after-milliseconds ${GROUP} 1000`,
      `sentinel failover-timeout ${GROUP} 3000`,
    ].join('\n'),
  )
  return ServerProcess.start({
    command: 'redis-server',
    args: [settingsFile, '--sentinel'],
    folder,
    isReady: async () => (await redisCli(port, 'PING')) === 'PONG',
    endSignal: 'SIGKILL',
  })
}

async function knowsAll(port: number, sentinels: number): Promise<boolean> {
  const lines = (await redisCli(port, 'SENTINEL', 'MASTER', GROUP)).split('\n')
  const field = (name: string) => lines[lines.indexOf(name) + 1]
  return (
    field('flags') === 'master' &&
    field('num-slaves') === '1' &&
    field('num-other-sentinels') === String(sentinels - 1)
  )
}

async function masterPort(sentinelPort: number): Promise<number> {
  const [, port] = (await redisCli(sentinelPort, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', GROUP)).split('\n')
  return Number(port)
}
