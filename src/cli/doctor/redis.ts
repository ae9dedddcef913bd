import type { Settings } from '../../platform/config/settings.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import {
  createRedisClient,
  type RedisClient,
  type ServerCommands,
} from '../../platform/redis/redis-client.js'
import { type Clock, within } from '../../platform/time.js'
import {
  type Check,
  compareClocks,
  type Finding,
  fault,
  inBytes,
  ok,
  runChecks,
  skipped,
  warning,
} from './finding.js'

const CONNECT_MS = 20_000
/** How long to go on after an error: another server of a cluster, or another sentinel, may answer. */
const RETRY_MS = 2_000
const CONNECTION = 'redis.connection'
const REMEDY = 'Start Redis, or correct SESSION_STORE_URL'

/** Everything about the Redis of SESSION_STORE_URL, every master and replica. */
export function redisCheck(settings: Settings, clock: Clock): Check {
  return { name: CONNECTION, todo: REMEDY, isGroup: true, run: () => checkRedis(settings, clock) }
}

async function checkRedis({ sessionStoreUrl, environment }: Settings, clock: Clock): Promise<Finding[]> {
  if (sessionStoreUrl === null) return [withoutRedis(environment)]
  const client = createRedisClient(sessionStoreUrl)
  try {
    await connect(client)
    return await checkShards(client, clock)
  } catch (error) {
    return [fault(CONNECTION, causeMessage(error), REMEDY)]
  } finally {
    close(client)
  }
}

function withoutRedis(environment: Settings['environment']): Finding {
  const saw = 'SESSION_STORE_URL is empty: no copies of sessions are kept'
  if (environment !== 'production') return skipped(CONNECTION, saw)
  return warning(CONNECTION, saw, 'Set SESSION_STORE_URL: each refresh now costs a statement of the database')
}

/** A client that cannot connect keeps trying for ever; its errors say what stops it. */
function connect(client: RedisClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.onError(reason => {
      setTimeout(() => reject(new Error(reason)), RETRY_MS).unref()
    })
    within(CONNECT_MS, client.connect()).then(() => resolve(), reject)
  })
}

function close(client: RedisClient): void {
  try {
    client.close()
  } catch {
    // It was never open.
  }
}

async function checkShards(client: RedisClient, clock: Clock): Promise<Finding[]> {
  const shards = typeof client.shards === 'string' ? [client.shards] : client.shards.all()
  const name = (shard: string) => (shards.length > 1 ? ` of ${shard}` : '')
  const checks = shards.map(shard => ({
    name: CONNECTION,
    todo: REMEDY,
    run: async () => {
      const server = await client.server(shard)
      return redisServerChecks({
        client,
        server,
        clock,
        info: String(await server.info()),
        name: name(shard),
      })
    },
  }))
  const findings = await runChecks(checks)
  return [ok(CONNECTION, `${shards.length === 1 ? 'one master' : `${shards.length} masters`}`), ...findings]
}

/** A master, and what it says about itself. */
interface ExaminedServer {
  readonly client: RedisClient
  readonly server: ServerCommands
  readonly clock: Clock
  /** Its answer to INFO. */
  readonly info: string
  /** Appended to the names of settings; empty where there is only one master. */
  readonly name: string
}

/** docs/operations/redis.md */
const OLDEST_VERSION = 7
const FILLING = 0.8

async function redisServerChecks(examined: ExaminedServer): Promise<Finding[]> {
  return [
    versionFinding(examined),
    await clockFinding(examined),
    policyFinding(examined),
    memoryFinding(examined),
    roleFinding(examined),
  ]
}

function versionFinding({ info, name }: ExaminedServer): Finding {
  const version = infoField(info, 'redis_version') ?? 'unknown'
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return ok('redis.version', `Redis ${version}${name}`)
  return fault('redis.version', `The version${name} is ${version}`, 'Upgrade to Redis 7 or later')
}

async function clockFinding({ server, clock, name }: ExaminedServer): Promise<Finding> {
  const before = clock.now()
  const [seconds, microseconds] = (await server.time()) as unknown as [string, string]
  const there = new Date(Number(seconds) * 1000 + Number(microseconds) / 1000)
  return compareClocks('clock.redis', `Redis${name}`, { before, there, after: clock.now() })
}

function policyFinding({ info, name }: ExaminedServer): Finding {
  const check = 'redis.policy'
  const policy = infoField(info, 'maxmemory_policy')
  if (policy !== 'noeviction') return ok(check, `maxmemory-policy${name} is ${policy ?? 'not reported'}`)
  return warning(
    check,
    `maxmemory-policy${name} is noeviction: a full server takes no copies of new sessions, and counts no attempts`,
    'Set maxmemory-policy allkeys-lru, in its redis.conf too',
  )
}

function memoryFinding({ info, name }: ExaminedServer): Finding {
  const check = 'redis.memory'
  const used = Number(infoField(info, 'used_memory') ?? 0)
  const max = Number(infoField(info, 'maxmemory') ?? 0) || Number(infoField(info, 'total_system_memory') ?? 0)
  const saw = `Redis${name} uses ${inBytes(used)} of ${inBytes(max)}`
  const todo = 'Give it more memory, or add shards: sessions without a copy are read from the database'
  if (max === 0 || used < max * FILLING) return ok(check, saw)
  return warning(check, saw, todo)
}

/** A replica takes no copies and counts no attempts. */
function roleFinding({ info, name }: ExaminedServer): Finding {
  const check = 'redis.role'
  if (infoField(info, 'role') === 'master') return ok(check, `Redis${name} is a master`)
  return fault(check, `The server${name} is a replica`, 'Let SESSION_STORE_URL lead to the master')
}

/** A field of the reply to INFO; null where the server hides it, as some hosted ones do. */
function infoField(info: string, field: string): string | null {
  return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null
}
