import { randomUUID } from 'node:crypto'
import { effectivePermissions, permissionsOf } from '../../dist/src/platform/permissions.js'
import { openRedis } from '../../dist/src/platform/redis/redis.js'
import { RedisSessionStore } from '../../dist/src/sessions/redis.session-store.js'
import { encodeSession, sessionKey } from '../../dist/src/sessions/redis-session.js'
import { ShardGates } from '../../dist/src/sessions/revocation/gates.js'
import { handleOf, newSessionId } from '../../dist/src/sessions/session.js'
import { authMethods } from '../../dist/src/tokens/access-tokens.js'
import { inBatches } from '../in-batches.mjs'
import { inTurn } from '../load.mjs'
import { startRedis, withRedis } from '../machine.mjs'
import { median, medianRatio } from '../report.mjs'
import { CLIENT, loginRequests, refreshRequests, seed } from '../seed.mjs'
import { environmentOf, startService } from '../service.mjs'

const BARS = { ratio: 1.05, bytes: 400 }
const SESSIONS_A_SCRIPT = 10_000
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Of an empty Redis, for the memory of one. */
const SESSIONS = 20_000
const SESSIONS_A_USER = 4

/** Processor time of refresh and login, of the service and of Redis, with more and more sessions in one Redis. */
export async function measureSessions(databaseUrl, sizes) {
  const servers = []
  for (const size of sizes) servers.push(await prepared(databaseUrl, size))
  const rows = []
  for (const kind of ['refresh', 'login']) {
    const contestants = servers.map(server => [
      `sessions-${server.size}`,
      seconds => loadOf(server, kind, seconds),
    ])
    const measured = await inTurn(Object.fromEntries(contestants))
    const [least] = Object.values(measured)
    for (const { size } of servers) rows.push(rowOf(kind, size, measured[`sessions-${size}`], least))
  }
  for (const { service } of servers) await service.child.stop()
  return [...rows, ...servers.map(({ size, bytes }) => bytesRow(size, bytes))]
}

async function prepared(databaseUrl, size) {
  const redisUrl = await startRedis(`redis-${size}`)
  const environment = await environmentOf(`sessions_${size}`, databaseUrl, redisUrl)
  const { users, opened } = await seed(environment)
  const connection = await openRedis(redisUrl, 5_000)
  const bytes = await withRedis(redisUrl, redis => fill(redis, connection, size))
  connection.onApplicationShutdown()
  const service = await startService(`service-${size}`, environment)
  return { size, bytes, redisUrl, service, refresh: refreshRequests(opened), login: loginRequests(users) }
}

async function loadOf({ redisUrl, service, ...requests }, kind, seconds) {
  const before = await redisSeconds(redisUrl)
  const result = await requests[kind].load(service, seconds)
  const redisCpu = (await redisSeconds(redisUrl)) - before
  return { ...result, redisMicroseconds: (redisCpu * 1e6) / result.requests }
}

function redisSeconds(url) {
  return withRedis(url, async redis => {
    const info = await redis.info('cpu')
    const field = name => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)[1])
    return field('used_cpu_user') + field('used_cpu_sys')
  })
}

function rowOf(kind, size, rounds, least) {
  const of = (all, field) => all.map(round => round[field])
  const ratio = medianRatio(of(rounds, 'cpuMicroseconds'), of(least, 'cpuMicroseconds'))
  return {
    what: `${kind} with ${size.toLocaleString('en')} sessions, processor time, µs`,
    value: `${median(of(rounds, 'cpuMicroseconds')).toFixed(1)}, of Redis ${median(of(rounds, 'redisMicroseconds')).toFixed(1)}; × ${ratio.toFixed(2)}`,
    bar: rounds === least ? '' : `≤ × ${BARS.ratio}`,
    holds: rounds === least ? null : ratio <= BARS.ratio,
  }
}

function bytesRow(size, bytes) {
  // A table of Redis has as many places as the next power of two: half of them may be empty.
  return {
    what: `Redis memory of a session among ${size.toLocaleString('en')}, bytes`,
    value: bytes.toFixed(0),
    bar: `≤ ${BARS.bytes}`,
    holds: bytes <= BARS.bytes,
  }
}

/**
 * Creates sessions in the server itself, in the form of the store: each has a handle, a user and an account of its own.
 * ARGV: seed, count, expiry, then the fields and values of a session.
 */
const FILL = `
math.randomseed(tonumber(ARGV[1]))
local letters, pairs_of = '${LETTERS}', {}
for i = 1, 64 do for j = 1, 64 do pairs_of[#pairs_of + 1] = letters:sub(i, i) .. letters:sub(j, j) end end
local function id(count, last)
  local parts = {}
  for i = 1, count do parts[i] = pairs_of[math.random(4096)] end
  return table.concat(parts) .. last
end
local fields = {}
for i = 4, #ARGV do fields[#fields + 1] = ARGV[i] end
for n = 1, tonumber(ARGV[2]) do
  local sid = id(21, 'A')
  for i = 1, #fields, 2 do
    if fields[i] == 'u' or fields[i] == 'a' then fields[i + 1] = id(10, 'AA') end
    if fields[i] == 'i' then fields[i + 1] = '203.0.113.' .. math.random(100, 255) end
  end
  local key = 'session:{' .. sid:sub(1, 2) .. '}:' .. sid
  redis.call('HSET', key, unpack(fields))
  redis.call('EXPIREAT', key, ARGV[3])
end
return redis.call('DBSIZE')`

/** Adds `count` sessions to a Redis and checks some against the store's own; resolves to the bytes that each takes. */
async function fill(redis, connection, count) {
  const before = await usedMemory(redis)
  const like = aSession('00000000-0000-4000-8000-000000000000')
  const expiry = String(Math.floor(like.expiresAt.getTime() / 1000))
  const fields = encodeSession(like, 'long')
  for (let made = 0; made < count; made += SESSIONS_A_SCRIPT) {
    const some = String(Math.min(SESSIONS_A_SCRIPT, count - made))
    await redis.eval(FILL, { keys: [], arguments: [String(made + 1), some, expiry, ...fields] })
  }
  const bytes = ((await usedMemory(redis)) - before) / count
  await requireReal(redis, connection, like)
  return bytes
}

/** Throws unless sessions of the script are read by the store, and are as large as one that the store creates. */
async function requireReal(redis, connection, like) {
  const store = aStore(connection)
  await store.create(like)
  const own = await sizeOf(redis, sessionKey(like.sid))
  for (let looked = 0; looked < 5; looked++) {
    const key = await redis.randomKey()
    if (!key.startsWith('session:')) continue
    const session = await store.find(key.slice(key.lastIndexOf(':') + 1), new Date())
    if (!session || session.source !== like.source || session.origin !== like.origin)
      throw new Error(`The store does not read ${key}`)
    const size = await sizeOf(redis, key)
    if (size !== own) throw new Error(`${key} takes ${size}, a session of the store ${own}`)
  }
  await store.remove(like.sid)
}

async function sizeOf(redis, key) {
  return `${await redis.objectEncoding(key)}, ${await redis.memoryUsage(key)} bytes`
}

/** Bytes of an empty Redis's memory that a session takes, by the service's own store. */
export async function measureSessionMemory() {
  const url = await startRedis('redis-of-sessions')
  return withRedis(url, async redis => {
    const connection = await openRedis(url, 300)
    const store = aStore(connection)
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
function aStore(connection) {
  const gates = new ShardGates(connection)
  gates.trust()
  return new RedisSessionStore(connection, gates, {})
}

/** A new session of the user. */
function aSession(userId) {
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

export async function usedMemory(redis) {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))[1])
}
