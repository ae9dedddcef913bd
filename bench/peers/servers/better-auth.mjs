// better-auth on PostgreSQL, with Redis as secondary storage and access tokens by its jwt plugin. Takes { users, password } and
// answers with e-mails, or { sessions, users } and answers with the headers of as many requests.
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { redisStorage } from '@better-auth/redis-storage'
import { hash, verify } from '@node-rs/argon2'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import { Redis } from 'ioredis'
import pg from 'pg'
import { inBatches } from '../../in-batches.mjs'
import { ACCESS_TOKEN_TTL_SECONDS, answerMessages, aSession, claimsOf, ISSUER } from './common.mjs'

const { PORT, REDIS_URL, DATABASE_URL, SECRET, HASH, COOKIE_CACHE } = process.env
const SATELLITE = 'https://data.customer-of-ours.example'
const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** The service's: 19 MiB, 2 passes, 1 lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const argon2id = {
  hash: password => hash(password, ARGON2ID),
  verify: ({ hash: known, password }) => verify(known, password),
}

/** Beyond what a session of better-auth has itself; the same for every session, as if its users had one account each. */
const known = aSession(randomUUID())

const auth = betterAuth({
  baseURL: ISSUER,
  secret: SECRET,
  trustedOrigins: [SATELLITE],
  database: new pg.Pool({ connectionString: DATABASE_URL }),
  secondaryStorage: redisStorage({ client: new Redis(REDIS_URL) }),
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  session: {
    expiresIn: 30 * 24 * 60 * 60,
    ...(COOKIE_CACHE && { cookieCache: { enabled: true, maxAge: 5 * 60 } }),
  },
  emailAndPassword: { enabled: true, ...(HASH === 'argon2id' && { password: argon2id }) },
  plugins: [
    jwt({
      jwks: { keyPairConfig: { alg: 'ES256' } },
      jwt: {
        issuer: ISSUER,
        audience: ISSUER,
        expirationTime: `${ACCESS_TOKEN_TTL_SECONDS}s`,
        definePayload: ({ user, session }) => ({
          ...claimsOf({ ...known, userId: user.id }),
          sid: session.id,
          jti: randomUUID(),
        }),
      },
    }),
  ],
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
const { internalAdapter, password: passwords } = await auth.$context

answerMessages(message => (message.password ? newUsers(message) : newSessions(message)))

/** All have the same hash: verifying it costs as much as verifying one of their own. */
async function newUsers({ users, password }) {
  const hashed = await passwords.hash(password)
  return inBatches(users, async () => {
    const user = await newUser()
    await internalAdapter.createAccount({
      userId: user.id,
      accountId: user.id,
      providerId: 'credential',
      password: hashed,
    })
    return user.email
  })
}

function newUser() {
  return internalAdapter.createUser({
    email: `${randomUUID()}@customer.example`,
    name: 'A customer',
    emailVerified: true,
  })
}

async function newSessions({ sessions, users }) {
  const owners = await inBatches(users, newUser)
  const made = []
  // One user's list of sessions is read, changed and written: two at a time would lose one.
  for (let round = 0; round < sessions / users; round++)
    made.push(
      ...(await inBatches(users, index =>
        internalAdapter.createSession(owners[index].id, false, {
          ipAddress: '203.0.113.142',
          userAgent: USER_AGENT,
        }),
      )),
    )
  return inBatches(made.length, async index => ({ Cookie: await cookiesOf(made[index].token) }))
}

/** The cookie of a session, and with the cookie cache what the first request is given to send along. */
async function cookiesOf(token) {
  const signature = createHmac('sha256', SECRET).update(token).digest('base64')
  const cookie = `__Secure-better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
  if (!COOKIE_CACHE) return cookie
  const { headers } = await auth.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true })
  const given = headers.getSetCookie().map(text => text.split(';')[0])
  return [cookie, ...given.filter(text => !text.includes('session_token'))].join('; ')
}

createServer(toNodeHandler(auth)).listen(Number(PORT), '127.0.0.1')
