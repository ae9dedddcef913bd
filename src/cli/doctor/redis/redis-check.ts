import type { Settings } from '../../../platform/config/settings.js'
import { causeMessage } from '../../../platform/errors/api-error.js'
import { createRedisClient, type RedisClient } from '../../../platform/redis/redis-client.js'
import { type Clock, within } from '../../../platform/time.js'
import { type Check, type Finding, fault, ok, skipped, warning } from '../finding.js'
import { runChecks } from '../run-checks.js'
import { checkInstallation } from './installation-check.js'
import { redisServerChecks } from './redis-server-checks.js'

const CONNECT_MS = 20_000
/** How long to go on after an error: another server of a cluster, or another sentinel, may answer. */
const RETRY_MS = 2_000
const CHECK = 'redis.connection'
const TODO = 'Start Redis, or correct SESSION_STORE_URL'

/** Everything about the Redis of SESSION_STORE_URL, every master and replica. */
export function redisCheck(settings: Settings, clock: Clock): Check {
  return { name: CHECK, todo: TODO, isGroup: true, run: () => checkRedis(settings, clock) }
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
      ...(await runChecks([{ name: 'redis.installation', todo: TODO, run: installation }])),
    ]
  } catch (error) {
    return [fault(CHECK, causeMessage(error), TODO)]
  } finally {
    close(client)
  }
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

function withoutRedis(environment: Settings['environment']): Finding {
  const saw = 'SESSION_STORE_URL is empty: sessions are kept in the database'
  if (environment !== 'production') return skipped(CHECK, saw)
  return warning(CHECK, saw, 'Set SESSION_STORE_URL: each refresh now costs a statement of the database')
}

async function checkShards(client: RedisClient, clock: Clock): Promise<Finding[]> {
  const shards = typeof client.shards === 'string' ? [client.shards] : client.shards.all()
  const name = (shard: string) => (shards.length > 1 ? ` of ${shard}` : '')
  const checks = shards.map(shard => ({
    name: CHECK,
    todo: TODO,
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
  return [ok(CHECK, `${shards.length === 1 ? 'one master' : `${shards.length} masters`}`), ...findings]
}

function close(client: RedisClient): void {
  try {
    client.close()
  } catch {
    // It was never open.
  }
}
