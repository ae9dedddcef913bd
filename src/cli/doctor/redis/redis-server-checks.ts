import { infoField, readServerFacts } from '../../../platform/redis/redis.js'
import { compareClocks } from '../clock-difference.js'
import { type Finding, fault, ok, warning } from '../finding.js'
import { inBytes } from '../in-bytes.js'
import { type ExaminedServer, setting } from './examined-server.js'
import { checkReplicas } from './redis-replicas-check.js'

/** docs/operations.md */
const OLDEST_VERSION = 7
const NEARLY_FULL = 0.95
const FILLING = 0.8

export async function redisServerChecks(examined: ExaminedServer): Promise<Finding[]> {
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
    return fault(check, `Redis${name} keeps nothing on disk: a restart logs everybody out`, todo)
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
