import { randomUUID } from 'node:crypto'
import { permissionsOf } from '../../dist/src/platform/permissions.js'
import { openRedis } from '../../dist/src/platform/redis/redis.js'
import { RedisSessionStore } from '../../dist/src/sessions/redis.session-store.js'
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
const LIFETIME_SECONDS = '7200'
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
  const bytes = await withRedis(redisUrl, redis => fill(redis, size))
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
    what: `Redis memory of a copy among ${size.toLocaleString('en')}, bytes`,
    value: bytes.toFixed(0),
    bar: `≤ ${BARS.bytes}`,
    holds: bytes <= BARS.bytes,
  }
}

/**
 * Makes copies in the server itself, of the one at KEYS[1]: each has a handle, a user and an account of its own. ARGV: seed,
 * count, seconds.
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
local lines = {}
for line in string.gmatch(redis.call('GET', KEYS[1]) .. '\\n', '(.-)\\n') do lines[#lines + 1] = line end
for n = 1, tonumber(ARGV[2]) do
  lines[5] = id(21, 'A')
  redis.call('SET', 'copy:' .. id(21, 'A'), table.concat(lines, '\\n'), 'EX', ARGV[3])
end
return redis.call('DBSIZE')`

/** Adds so many copies to a Redis that has some of the service's own; resolves to the bytes that each takes. */
async function fill(redis, count) {
  const own = await aCopy(redis)
  const before = await usedMemory(redis)
  for (let made = 0; made < count; made += SESSIONS_A_SCRIPT) {
    const some = String(Math.min(SESSIONS_A_SCRIPT, count - made))
    await redis.eval(FILL, { keys: [own], arguments: [String(made + 1), some, LIFETIME_SECONDS] })
  }
  const bytes = ((await usedMemory(redis)) - before) / count
  for (let looked = 0; looked < 5; looked++) {
    const [key, size] = [await aCopy(redis), await sizeOf(redis, own)]
    const itsSize = await sizeOf(redis, key)
    if (itsSize !== size) throw new Error(`${key} takes ${itsSize}, a copy of the service ${size}`)
  }
  return bytes
}

/** The key of any. */
async function aCopy(redis) {
  for (;;) {
    const key = await redis.randomKey()
    if (key.startsWith('copy:')) return key
  }
}

async function sizeOf(redis, key) {
  return `${await redis.objectEncoding(key)}, ${await redis.memoryUsage(key)} bytes`
}

/** Bytes of an empty Redis's memory that the copy of a session takes, by the service's own store. */
export async function measureSessionMemory() {
  const url = await startRedis('redis-of-sessions')
  return withRedis(url, async redis => {
    const connection = await openRedis(url, 300)
    const touch = touching(connection)
    // The scripts are known to the server from here on.
    await touch(aSession(randomUUID()))
    await redis.flushAll()
    const empty = await usedMemory(redis)
    const users = Array.from({ length: SESSIONS / SESSIONS_A_USER }, () => randomUUID())
    await inBatches(SESSIONS, index => touch(aSession(users[index % users.length])))
    // Sent after all copies, on the same connection.
    await connection.run(commands => commands.get('last'))
    const full = await usedMemory(redis)
    connection.onApplicationShutdown()
    const left = await redis.dbSize()
    if (left !== SESSIONS) throw new Error(`${left} keys are left where there should be ${SESSIONS} copies`)
    return (full - empty) / SESSIONS
  })
}

/** Has the service's own store read a session from a database that has just this one, and copy it. */
function touching(connection) {
  const metrics = { counter() {}, gauge() {} }
  const timeouts = { leastIdleSeconds: 1800, haveIdleTimeouts: false, idleSeconds: () => null }
  return async session => {
    const { generation, createdAt: readAt } = session
    // A million transactions an hour for some years.
    const feed = { origin: { generation, asOf: 2 ** 34, readAt }, judge: () => 'current' }
    const database = { run: async () => [session] }
    const store = new RedisSessionStore(database, 1, timeouts, connection, feed, metrics)
    await store.touch(session.sid, session.createdAt)
  }
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
    granted: permissionsOf(['dataEntry', 'viewReports']),
    entitled: null,
    satellites: null,
    mustEnrol: false,
    isStamped: true,
    idleSeconds: null,
    generation: 'AAAAAAAA',
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
