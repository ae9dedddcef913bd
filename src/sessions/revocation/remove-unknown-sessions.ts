import { inArray } from 'drizzle-orm'
import type { Database } from '../../database/database.js'
import { userSessions } from '../../database/schema.js'
import type { RedisConnection } from '../../redis/redis-connection.js'
import { SESSION_KEYS, sidOfKey } from '../stores/session-keys.js'

const KEYS_A_PAGE = 1_000

/** Removes every session on the shard that the database does not list for any user: nobody could end it. */
export async function removeUnknownSessions(
  redis: RedisConnection,
  shard: string,
  database: Database,
): Promise<void> {
  let cursor = '0'
  do {
    const page = await redis.onShard(shard, server =>
      server.scan(cursor, { MATCH: SESSION_KEYS, COUNT: KEYS_A_PAGE }),
    )
    const unknown = await unknownOf(page.keys, database)
    // One by one: in a cluster, the keys of a command must have the same slot.
    await redis.onShard(shard, server => Promise.all(unknown.map(key => server.unlink(key))))
    cursor = page.cursor
  } while (cursor !== '0')
}

async function unknownOf(keys: readonly string[], database: Database): Promise<string[]> {
  const rows = await database.run(db =>
    db
      .select({ sid: userSessions.sid })
      .from(userSessions)
      .where(inArray(userSessions.sid, keys.map(sidOfKey))),
  )
  const known = new Set(rows.map(({ sid }) => sid))
  return keys.filter(key => !known.has(sidOfKey(key)))
}
