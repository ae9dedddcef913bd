import type { RedisClient } from '../../../platform/redis/redis-client.js'
import { markerKey, PARTITIONS } from '../../../sessions/stores/session-keys.js'
import { withPostgres } from '../database/postgres-session.js'
import { type Finding, fault, ok, skipped } from '../finding.js'

const CHECK = 'redis.installation'
/** A Redis that has lost some of its markers still has others. */
const ASKED = 32

/** Whether the sessions in this Redis belong to this database. An installation is its database. */
export async function checkInstallation(client: RedisClient, databaseUrl: string): Promise<Finding> {
  const generation = databaseUrl.startsWith('pglite:') ? null : await generationIn(databaseUrl)
  if (generation === null) return skipped(CHECK, 'the database does not say which Redis is its own')
  const markers = await Promise.all(
    PARTITIONS.slice(0, ASKED).map(partition => client.commands.get(markerKey(partition))),
  )
  const theirs = markers.flatMap(marker => marker?.split(':')[0] ?? [])
  if (theirs.length === 0) return skipped(CHECK, 'no service has used this Redis yet')
  if (theirs.every(name => name === generation)) return ok(CHECK, 'its sessions belong to this database')
  return fault(
    CHECK,
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
