import { encodeSession, sessionKey } from '../../dist/src/sessions/redis-session.js'
import { aSession, aStore } from '../measure/measure-memory.mjs'

const SESSIONS_A_SCRIPT = 10_000
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

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
    if fields[i] == 'u' then fields[i + 1] = id(21, 'A') .. fields[i + 1]:sub(44) end
    if fields[i] == 'i' then fields[i + 1] = '203.0.113.' .. math.random(100, 255) end
  end
  local key = 'session:{' .. sid:sub(1, 2) .. '}:' .. sid
  redis.call('HSET', key, unpack(fields))
  redis.call('EXPIREAT', key, ARGV[3])
end
return redis.call('DBSIZE')`

/** The service that is measured writes it too. */
export const FORM = 'compact'

/** Adds `count` sessions to a Redis and checks some against the store's own; resolves to the bytes that each takes. */
export async function fill(redis, connection, count) {
  const before = await usedMemory(redis)
  const like = aSession('00000000-0000-4000-8000-000000000000')
  const expiry = String(Math.floor(like.expiresAt.getTime() / 1000))
  const fields = encodeSession(like, FORM)
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
  const store = aStore(connection, FORM)
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

/** When the server has moved everything into its new tables. */
async function usedMemory(redis) {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))[1])
}
