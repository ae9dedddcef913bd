// What the service is compared with: the same work on the same libraries, without framework, limits, CORS,
// logs, or any check that a request can be refused by beyond the one that the work itself is.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createRequire } from 'node:module'
import Fastify from 'fastify'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { createClient } from 'redis'
import { loadKeys } from '../dist/src/tokens/signing-keys.js'

const { PORT, SESSION_STORE_URL, DATABASE_URL, STRIPE_WEBHOOK_SECRET, JWT_KEYS_FILE, PUBLIC_URL } =
  process.env
const ACCESS_TOKEN_TTL_SECONDS = 900
// The very copy that @nestjs/jwt works with.
const jsonwebtoken = createRequire(import.meta.resolve('@nestjs/jwt'))('jsonwebtoken')
const keys = await loadKeys(JWT_KEYS_FILE)
const { kid, privateKey, publicKey } = keys.find(key => key.state === 'current')
const redis = await createClient({ url: SESSION_STORE_URL })
  .on('error', () => {})
  .connect()
/** The service's: the copy of a session, stamped with this use. */
const LOOK = await redis.scriptLoad(`
local found = redis.call('GET', KEYS[1])
if found and string.sub(found, 1, 10) ~= 'lease     ' then
  redis.pcall('SETRANGE', KEYS[1], 0, ARGV[1])
  return found
end
return nil`)
const server = Fastify()

server.post('/api/refresh', async (request, reply) => {
  const sid = createHash('sha256').update(request.headers['x-session-id']).digest('base64url')
  const now = Math.floor(Date.now() / 1000)
  const found = await redis.evalSha(LOOK, { keys: [`copy:${sid}`], arguments: [String(now)] })
  if (found === null) return reply.code(401).send({ code: 'SESSION_NOT_FOUND' })
  return { accessToken: sign(sid, found, now, request.headers.origin) }
})

function sign(sid, found, now, origin) {
  const [, , , , ids, rights] = found.slice(10).split('\n')
  const hex = Buffer.from(ids, 'base64url').toString('hex')
  const userId = uuidOf(hex.slice(0, 32))
  const bits = Number.parseInt(rights.slice(1), 36)
  const claims = {
    iss: PUBLIC_URL,
    aud: PUBLIC_URL,
    sub: userId,
    userId,
    accountId: uuidOf(hex.slice(32)),
    sid,
    source: rights[0] === 'm' ? 'main' : 'satellite',
    client_id: origin,
    permissions: {
      payments: (bits & 1) !== 0,
      accountSettings: (bits & 2) !== 0,
      teamManagement: (bits & 4) !== 0,
      dataEntry: (bits & 8) !== 0,
      viewReports: (bits & 16) !== 0,
    },
    iat: now,
    exp: now + ACCESS_TOKEN_TTL_SECONDS,
    jti: randomUUID(),
  }
  return jsonwebtoken.sign(claims, privateKey, {
    algorithm: 'ES256',
    header: { alg: 'ES256', typ: 'at+jwt', kid },
  })
}

function uuidOf(hex) {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const verified = new LRUCache({ max: 20_000 })

server.get('/api/data', async (request, reply) => {
  const claims = verify(request.headers.authorization?.slice('Bearer '.length) ?? '')
  if (!claims) return reply.code(401).send({ code: 'INVALID_ACCESS_TOKEN' })
  const { userId, accountId, permissions } = claims
  return { userId, accountId, permissions }
})

function verify(token) {
  const cached = verified.get(token)
  if (cached && Date.now() / 1000 < cached.exp) return cached
  try {
    const options = { algorithms: ['ES256'], issuer: PUBLIC_URL, audience: PUBLIC_URL }
    const claims = jsonwebtoken.verify(token, publicKey, options)
    verified.set(token, claims)
    return claims
  } catch {
    return null
  }
}

/** As many connections as the service has. */
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
await pool.query('create table if not exists bare_events (id text primary key, event jsonb not null)')

server.register(async webhooks => {
  webhooks.removeAllContentTypeParsers()
  webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) =>
    done(null, body),
  )
  webhooks.post('/api/webhooks/stripe', async ({ headers, body }, reply) => {
    if (!isSigned(headers['stripe-signature'], body))
      return reply.code(400).send({ code: 'INVALID_SIGNATURE' })
    const event = JSON.parse(body)
    const text = 'insert into bare_events (id, event) values ($1, $2) on conflict do nothing'
    await pool.query({ name: 'insert', text, values: [event.id, event] })
    return { received: true }
  })
})

function isSigned(header, body) {
  const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (!seconds) return false
  const right = createHmac('sha256', STRIPE_WEBHOOK_SECRET).update(`${seconds}.`).update(body).digest()
  return timingSafeEqual(right, Buffer.from(given, 'hex'))
}

server.get('/health', async () => ({ status: 'ok' }))

await server.listen({ port: Number(PORT), host: '127.0.0.1' })
