import type { Settings } from '../../platform/config/settings.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { infoField, nameOf, readServerFacts } from '../../platform/redis/redis.js'
import {
  createRedisClient,
  type RedisClient,
  type ServerAddress,
  type ServerCommands,
} from '../../platform/redis/redis-client.js'
import { type Clock, within } from '../../platform/time.js'
import { markerKey, PARTITIONS } from '../../sessions/redis-session.js'
import { withPostgres } from './database.js'
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

async function checkRedis(
  { sessionStoreUrl, databaseUrl, environment }: Settings,
  clock: Clock,
): Promise<Finding[]> {
  if (sessionStoreUrl === null) return [withoutRedis(environment)]
  const client = createRedisClient(sessionStoreUrl)
  try {
    await connect(client)
    const installation = async () => [await checkInstallation(client, databaseUrl)]
    return [
      ...(await checkShards(client, clock)),
      ...(await runChecks([{ name: 'redis.installation', todo: REMEDY, run: installation }])),
    ]
  } catch (error) {
    return [fault(CONNECTION, causeMessage(error), REMEDY)]
  } finally {
    close(client)
  }
}

function withoutRedis(environment: Settings['environment']): Finding {
  const saw = 'SESSION_STORE_URL is empty: sessions are kept in the database'
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

/** docs/operations.md */
const OLDEST_VERSION = 7
const NEARLY_FULL = 0.95
const FILLING = 0.8

async function redisServerChecks(examined: ExaminedServer): Promise<Finding[]> {
  return [
    versionFinding(examined),
    await clockFinding(examined),
    policyFinding(examined),
    await persistenceFinding(examined),
    memoryFinding(examined),
    ...(await checkReplicas(examined)),
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
  const { maxmemoryPolicy } = readServerFacts(info)
  if (maxmemoryPolicy === 'noeviction') return ok(check, `maxmemory-policy${name} is noeviction`)
  const todo = 'Set maxmemory-policy noeviction, in its redis.conf too'
  if (maxmemoryPolicy === null)
    return warning(
      check,
      `The server does not report its maxmemory-policy${name}`,
      `Make sure that it is noeviction`,
    )
  const saw = `maxmemory-policy${name} is ${maxmemoryPolicy}: a full server would log people out`
  return fault(check, saw, todo)
}

async function persistenceFinding({ server, info, name }: ExaminedServer): Promise<Finding> {
  const check = 'redis.persistence'
  const failed = ['aof_last_write_status', 'rdb_last_bgsave_status'].filter(
    field => (infoField(info, field) ?? 'ok') !== 'ok',
  )
  if (failed.length > 0)
    return fault(
      check,
      `Redis${name} cannot write its files (${failed.join(', ')})`,
      'Look at its log and its disk',
    )
  if (infoField(info, 'aof_enabled') === '1') return syncFinding(await setting(server, 'appendfsync'), name)
  const saves = await setting(server, 'save')
  const todo = 'Set appendonly yes and appendfsync everysec'
  if (saves === '')
    return fault(check, `Redis${name} keeps nothing on disk: a restart ends all sessions`, todo)
  return warning(check, `Redis${name} has no append-only file: a restart loses the newest sessions`, todo)
}

function syncFinding(appendfsync: string | null, name: string): Finding {
  const check = 'redis.persistence'
  if (appendfsync !== 'no')
    return ok(check, `the append-only file${name} is on (appendfsync ${appendfsync ?? 'not known'})`)
  return warning(
    check,
    `appendfsync${name} is no: a crash of the machine loses the sessions of some 30 s`,
    'Set appendfsync everysec',
  )
}

function memoryFinding({ info, name }: ExaminedServer): Finding {
  const check = 'redis.memory'
  const used = Number(infoField(info, 'used_memory') ?? 0)
  const max = Number(infoField(info, 'maxmemory') ?? 0) || Number(infoField(info, 'total_system_memory') ?? 0)
  const saw = `Redis${name} uses ${inBytes(used)} of ${inBytes(max)}`
  const todo = 'Give it more memory, or add shards: a full server refuses logins'
  if (max === 0 || used < max * FILLING) return ok(check, saw)
  return used < max * NEARLY_FULL ? warning(check, saw, todo) : fault(check, saw, todo)
}

const REPLICAS = 'redis.replicas'
const ASK_MS = 5_000

/** Whether each replica could take over: in step, with the same policy, and without stopping its master. */
async function checkReplicas(examined: ExaminedServer): Promise<Finding[]> {
  const { client, server, info, name } = examined
  if (infoField(info, 'role') !== 'master')
    return [fault(REPLICAS, `The server${name} is a replica`, 'Let SESSION_STORE_URL lead to the master')]
  const { replicas } = readServerFacts(info)
  if (replicas.length === 0) return [ok(REPLICAS, `Redis${name} has no replica`)]
  const findings = await Promise.all(replicas.map(replica => checkReplica(client, replica)))
  const demanded = await setting(server, 'min-replicas-to-write')
  if (replicas.length === 1 && Number(demanded ?? 0) > 0)
    findings.push(
      warning(
        REPLICAS,
        `min-replicas-to-write${name} is ${demanded} with one replica: after a failover nothing can be written`,
        'Set min-replicas-to-write 0, or add a replica',
      ),
    )
  return findings
}

async function checkReplica(client: RedisClient, address: ServerAddress): Promise<Finding> {
  const replica = nameOf(address)
  let info: string
  try {
    info = await infoOf(client, address)
  } catch (error) {
    return warning(
      REPLICAS,
      `The replica ${replica} cannot be reached from here: ${causeMessage(error)}`,
      'Run doctor where the service runs, or look at its maxmemory-policy by hand',
    )
  }
  const { maxmemoryPolicy } = readServerFacts(info)
  if (maxmemoryPolicy !== null && maxmemoryPolicy !== 'noeviction')
    return fault(
      REPLICAS,
      `maxmemory-policy of the replica ${replica} is ${maxmemoryPolicy}`,
      'Set maxmemory-policy noeviction there too',
    )
  if (infoField(info, 'master_link_status') !== 'up')
    return fault(REPLICAS, `The replica ${replica} is not connected to its master`, 'Look at its log')
  return ok(REPLICAS, `the replica ${replica} is in step`)
}

async function infoOf(client: RedisClient, address: ServerAddress): Promise<string> {
  const replica = client.connectTo(address)
  // The affected command throws it too.
  replica.on('error', () => {})
  try {
    return await within(
      ASK_MS,
      replica.connect().then(async () => String(await replica.info())),
    )
  } finally {
    replica.destroy()
  }
}

/** Null where the server does not allow CONFIG. */
async function setting(server: ServerCommands, name: string): Promise<string | null> {
  try {
    return ((await server.configGet(name)) as Record<string, string>)[name] ?? null
  } catch {
    return null
  }
}

const INSTALLATION = 'redis.installation'
/** A Redis that has lost some of its markers still has others. */
const ASKED = 32

/** Whether the sessions in this Redis belong to this database. An installation is its database. */
async function checkInstallation(client: RedisClient, databaseUrl: string): Promise<Finding> {
  const generation = databaseUrl.startsWith('pglite:') ? null : await generationIn(databaseUrl)
  if (generation === null) return skipped(INSTALLATION, 'the database does not say which Redis is its own')
  const markers = await Promise.all(
    PARTITIONS.slice(0, ASKED).map(partition => client.commands.get(markerKey(partition))),
  )
  const theirs = markers.flatMap(marker => marker?.split(':')[0] ?? [])
  if (theirs.length === 0) return skipped(INSTALLATION, 'no service has used this Redis yet')
  if (theirs.every(name => name === generation))
    return ok(INSTALLATION, 'its sessions belong to this database')
  return fault(
    INSTALLATION,
    'The sessions in this Redis belong to another database',
    'Correct SESSION_STORE_URL or DATABASE_URL; store:accept-loss only if the other installation is gone',
  )
}

/** Null before a service has used any Redis, or while the database cannot be asked, which is reported elsewhere. */
function generationIn(databaseUrl: string): Promise<string | null> {
  return withPostgres(databaseUrl, async postgres => {
    const [row] = await postgres.rows<{ generation: string }>('select generation from session_store')
    return row?.generation ?? null
  }).catch(() => null)
}
