import { randomUUID } from 'node:crypto'
import { effectivePermissions, permissionsOf } from '../../dist/src/platform/permissions.js'
import { openRedis } from '../../dist/src/platform/redis/redis.js'
import { RedisSessionStore } from '../../dist/src/sessions/redis.session-store.js'
import { ShardGates } from '../../dist/src/sessions/revocation/gates.js'
import { handleOf, newSessionId } from '../../dist/src/sessions/session.js'
import { authMethods } from '../../dist/src/tokens/access-tokens.js'
import { inBatches } from '../in-batches.mjs'
import { startRedis, withRedis } from '../machine/stores.mjs'
import { CLIENT } from '../seed.mjs'

const SESSIONS = 20_000
const SESSIONS_A_USER = 4

/** Bytes of an empty Redis's memory that a session takes in each form, by the service's own store. */
export async function measureSessionMemory() {
  return { session: await bytesOf('long'), compactSession: await bytesOf('compact') }
}

async function bytesOf(form) {
  const url = await startRedis(`redis-of-${form}-sessions`)
  return withRedis(url, async redis => {
    const connection = await openRedis(url, 300)
    const store = aStore(connection, form)
    // The scripts are known to the server from here on.
    await store.create(aSession(randomUUID()))
    await redis.flushAll()
    const empty = await usedMemory(redis)
    const users = Array.from({ length: SESSIONS / SESSIONS_A_USER }, () => randomUUID())
    await inBatches(SESSIONS, index => store.create(aSession(users[index % users.length])))
    const full = await usedMemory(redis)
    connection.onApplicationShutdown()
    const left = await redis.dbSize()
    if (left !== SESSIONS) throw new Error(`${left} keys are left where there should be ${SESSIONS} sessions`)
    return (full - empty) / SESSIONS
  })
}

/** The service's own store, which serves without asking whether anything was lost. */
export function aStore(connection, form) {
  const gates = new ShardGates(connection)
  gates.trust()
  return new RedisSessionStore(connection, gates, {}, form)
}

/** A new session of the user. */
export function aSession(userId) {
  const createdAt = new Date()
  return {
    ...CLIENT,
    sid: handleOf(newSessionId()),
    userId,
    accountId: randomUUID(),
    source: 'satellite',
    permissions: effectivePermissions('satellite', permissionsOf(['dataEntry', 'viewReports'])),
    createdAt,
    lastUsed: createdAt,
    expiresAt: new Date(createdAt.getTime() + 30 * 24 * 60 * 60 * 1000),
    reauthenticatedAt: null,
    amr: authMethods('pwd'),
    authTime: createdAt,
  }
}

async function usedMemory(redis) {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))[1])
}
