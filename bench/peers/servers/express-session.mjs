// express-session on Redis by connect-redis. `POST /refresh` signs an access token for whoever the session cookie belongs to;
// `POST /session` only says who that is. Takes { sessions, users } and answers with the headers of as many requests.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { RedisStore } from 'connect-redis'
import express from 'express'
import session from 'express-session'
import jsonwebtoken from 'jsonwebtoken'
import { createClient } from 'redis'
import { inBatches } from '../../in-batches.mjs'
import {
  ACCESS_TOKEN_TTL_SECONDS,
  answerMessages,
  aSession,
  claimsOf,
  currentKey,
  ISSUER,
} from './common.mjs'

const { PORT, REDIS_URL, KEYS_FILE } = process.env
const SECRET = randomBytes(32).toString('base64')
const LIFE_MS = 30 * 24 * 60 * 60 * 1000
const COOKIE = { secure: true, httpOnly: true, sameSite: 'lax', maxAge: LIFE_MS }
const NAME = 'sid'

const { kid, privateKey, publicJwk } = await currentKey(KEYS_FILE)
const client = await createClient({ url: REDIS_URL }).connect()
const store = new RedisStore({ client })
const app = express()
app.disable('x-powered-by')
app.set('trust proxy', 1)
app.get('/jwks', (_, response) => response.json({ keys: [publicJwk] }))
app.use(
  session({ store, secret: SECRET, name: NAME, resave: false, saveUninitialized: false, cookie: COOKIE }),
)
app.post('/session', ({ session: { userId } }, response) => {
  if (!userId) return response.sendStatus(401)
  response.json({ userId })
})
app.post('/refresh', (request, response) => {
  if (!request.session.userId) return response.sendStatus(401)
  response.json({ accessToken: accessToken(request.session) })
})

function accessToken(found) {
  return jsonwebtoken.sign(claimsOf(found), privateKey, {
    algorithm: 'ES256',
    keyid: kid,
    issuer: ISSUER,
    audience: ISSUER,
    subject: found.userId,
    jwtid: randomUUID(),
    expiresIn: ACCESS_TOKEN_TTL_SECONDS,
  })
}

answerMessages(({ sessions, users }) => {
  const userIds = Array.from({ length: users }, () => randomUUID())
  return inBatches(sessions, async index => {
    const id = randomBytes(24).toString('base64url')
    const cookie = { originalMaxAge: LIFE_MS, expires: new Date(Date.now() + LIFE_MS), ...COOKIE, path: '/' }
    await store.set(id, { cookie, ...aSession(userIds[index % users]) })
    return { Cookie: `${NAME}=${encodeURIComponent(`s:${id}.${signatureOf(id)}`)}` }
  })
})

/** As the package signs ids. */
function signatureOf(id) {
  return createHmac('sha256', SECRET).update(id).digest('base64').replace(/=+$/, '')
}

app.listen(Number(PORT), '127.0.0.1')
