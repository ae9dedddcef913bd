import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import calculateSlot from 'cluster-key-slot'
import { eventually } from '../eventually.js'
import { freePort } from '../processes/free-port.js'
import { infoField, redisCli } from './redis-cli.js'
import { isReplicaInStep, type RedisServer, startRedis } from './redis-server.js'

const run = promisify(execFile)
const MASTERS = 3

export interface RedisCluster {
  /** `redis+cluster://127.0.0.1:p1,…`, all six nodes. */
  readonly url: string
  /** The first three are the masters as long as nothing failed over. */
  readonly nodes: RedisServer[]
  /** The master of each key's slot, in the order of the keys, as the first node to answer sees them. */
  mastersOf(keys: string[]): Promise<RedisServer[]>
  /** Waits until every node sees every slot served. */
  isWhole(): Promise<void>
  /** Safe to repeat. */
  stop(): Promise<void>
}

/**
 * A real Redis Cluster, 3 masters and 3 replicas, every slot served and every replica in step. `settings` are more options of
 * redis-server for every node and win over these.
 */
export async function startRedisCluster(
  settings: Readonly<Record<string, string>> = {},
): Promise<RedisCluster> {
  const nodes: RedisServer[] = []
  const stop = async () => {
    await Promise.all(nodes.map(node => node.kill('SIGKILL').then(() => node.stop())))
  }
  try {
    for (let count = 0; count < 2 * MASTERS; count++) nodes.push(await startNode(settings))
    await form(nodes)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `redis+cluster://${addresses(nodes).join(',')}`,
    nodes,
    mastersOf: keys => mastersOf(nodes, keys),
    isWhole: () => seeWholeCluster(nodes),
    stop,
  }
}

async function startNode(settings: Readonly<Record<string, string>>): Promise<RedisServer> {
  // The usual bus port is port + 10000, which nobody keeps free for us.
  const busPort = await freePort()
  return startRedis({
    args: [
      ...['--cluster-enabled', 'yes'],
      ...['--cluster-port', String(busPort)],
      // Milliseconds a master may be silent before a replica takes over. With less, a busy machine
      // fails over by itself.
      ...['--cluster-node-timeout', '2000'],
      ...['--repl-diskless-sync-delay', '0'],
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ],
  })
}

async function form(nodes: RedisServer[]): Promise<void> {
  await run('redis-cli', [
    ...['--cluster', 'create', ...addresses(nodes)],
    ...['--cluster-replicas', '1', '--cluster-yes'],
  ])
  await seeWholeCluster(nodes)
  for (const node of nodes.slice(MASTERS)) {
    await eventually(() => isReplicaInStep(node.port), { what: 'the replicas to be in step' })
  }
}

async function seeWholeCluster(nodes: RedisServer[]): Promise<void> {
  for (const node of nodes) {
    await eventually(() => seesWholeCluster(node.port), { what: 'every node to see the whole cluster' })
  }
}

async function seesWholeCluster(port: number): Promise<boolean> {
  return infoField(await redisCli(port, 'CLUSTER', 'INFO'), 'cluster_state') === 'ok'
}

/** On a busy machine a replica may take over, and then a slot has no master for a moment. */
function mastersOf(nodes: RedisServer[], keys: string[]): Promise<RedisServer[]> {
  return eventually(() => mastersNow(nodes, keys), { what: 'a master of each slot', timeoutMs: 30_000 })
}

async function mastersNow(nodes: RedisServer[], keys: string[]): Promise<RedisServer[]> {
  const lines = (await Promise.any(nodes.map(({ port }) => clusterNodes(port)))).split('\n')
  return keys.map(key => {
    const slot = calculateSlot(key)
    const line = lines.find(line => servesSlot(line, slot))
    const port = Number(line?.match(/127\.0\.0\.1:(\d+)@/)?.[1])
    const master = nodes.find(node => node.port === port)
    if (!master) throw new Error(`No node serves slot ${slot}`)
    return master
  })
}

async function clusterNodes(port: number): Promise<string> {
  const answer = await redisCli(port, 'CLUSTER', 'NODES')
  if (!answer.includes(' master ')) throw new Error(`${port} answered "${answer}"`)
  return answer
}

// A line of CLUSTER NODES: id, address, flags, master, ping, pong, epoch, link, then slots as "5" or "0-99".
function servesSlot(line: string, slot: number): boolean {
  const ranges = line.split(' ').slice(8)
  return ranges.some(range => {
    const [first, last = first] = range.split('-').map(Number)
    return first! <= slot && slot <= last!
  })
}

function addresses(nodes: RedisServer[]): string[] {
  return nodes.map(node => `127.0.0.1:${node.port}`)
}
