// What taking in a webhook is compared with: the signature over the bytes and one committed row, on the same libraries.
import { createHmac, timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'

const { PORT, DATABASE_URL, STRIPE_WEBHOOK_SECRET } = process.env
/** As many as the service has. */
const CONNECTIONS = 10

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: CONNECTIONS })
await pool.query('create table if not exists bare_events (id text primary key, event jsonb not null)')
const server = Fastify()
server.removeAllContentTypeParsers()
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))

server.post('/api/webhooks/stripe', async ({ headers, body }, reply) => {
  if (!isSigned(headers['stripe-signature'], body)) return reply.code(400).send({ code: 'INVALID_SIGNATURE' })
  const event = JSON.parse(body)
  const text = 'insert into bare_events (id, event) values ($1, $2) on conflict do nothing'
  await pool.query({ name: 'insert', text, values: [event.id, event] })
  return { received: true }
})

function isSigned(header, body) {
  const [, seconds, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (!seconds) return false
  const right = createHmac('sha256', STRIPE_WEBHOOK_SECRET).update(`${seconds}.`).update(body).digest()
  return timingSafeEqual(right, Buffer.from(given, 'hex'))
}

server.get('/health/ready', async () => ({ status: 'ok' }))

await server.listen({ port: Number(PORT), host: '127.0.0.1' })
