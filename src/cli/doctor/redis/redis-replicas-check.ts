import { causeMessage } from '../../../platform/errors/api-error.js'
import { infoField, nameOf, readServerFacts } from '../../../platform/redis/redis.js'
import type { RedisClient, ServerAddress } from '../../../platform/redis/redis-client.js'
import { within } from '../../../platform/time.js'
import { type Finding, fault, ok, warning } from '../finding.js'
import { type ExaminedServer, setting } from './examined-server.js'

const CHECK = 'redis.replicas'
const ASK_MS = 5_000

/** Whether each replica could take over: in step, with the same policy, and without stopping its master. */
export async function checkReplicas(examined: ExaminedServer): Promise<Finding[]> {
  const { client, server, info, name } = examined
  if (infoField(info, 'role') !== 'master')
    return [fault(CHECK, `The server${name} is a replica`, 'Let SESSION_STORE_URL lead to the master')]
  const { replicas } = readServerFacts(info)
  if (replicas.length === 0) return [ok(CHECK, `Redis${name} has no replica`)]
  const findings = await Promise.all(replicas.map(replica => checkReplica(client, replica)))
  const demanded = await setting(server, 'min-replicas-to-write')
  if (replicas.length === 1 && Number(demanded ?? 0) > 0)
    findings.push(
      warning(
        CHECK,
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
      CHECK,
      `The replica ${replica} cannot be reached from here: ${causeMessage(error)}`,
      'Run doctor where the service runs, or look at its maxmemory-policy by hand',
    )
  }
  const { maxmemoryPolicy } = readServerFacts(info)
  if (maxmemoryPolicy !== null && maxmemoryPolicy !== 'noeviction')
    return fault(
      CHECK,
      `maxmemory-policy of the replica ${replica} is ${maxmemoryPolicy}`,
      'Set maxmemory-policy noeviction there too',
    )
  if (infoField(info, 'master_link_status') !== 'up')
    return fault(CHECK, `The replica ${replica} is not connected to its master`, 'Look at its log')
  return ok(CHECK, `the replica ${replica} is in step`)
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
