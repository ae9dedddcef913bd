// Users and sessions of the service, and what their browsers send.
import 'reflect-metadata'
import { setTimeout as sleep } from 'node:timers/promises'
import { NestFactory } from '@nestjs/core'
import { AppModule } from '../dist/src/app.js'
import { readSettings } from '../dist/src/platform/config/read-settings.js'
import { Database } from '../dist/src/platform/database/database.js'
import { shortUserAgent } from '../dist/src/platform/http/request.js'
import { Clock } from '../dist/src/platform/time.js'
import { ChangeFeed } from '../dist/src/sessions/change-feed.js'
import { SessionStore } from '../dist/src/sessions/session-store.js'
import { SessionsService } from '../dist/src/sessions/sessions.js'
import { authMethods } from '../dist/src/tokens/access-tokens.js'
import { canonicalEmail } from '../dist/src/users/email.js'
import { UserAdministration } from '../dist/src/users/user-changes.js'
import { inBatches } from './in-batches.mjs'
import { Requests } from './load.mjs'
import { query } from './machine.mjs'
import { makeKeys, SATELLITE } from './service.mjs'

export const PASSWORD = 'correct horse battery staple'
export const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** A browser on a satellite site. */
export const CLIENT = {
  requestId: 'bench',
  ip: '203.0.113.142',
  userAgent: shortUserAgent(USER_AGENT),
  origin: SATELLITE,
}

/** As the load arrives: the first refresh from another network would cost several times what a refresh costs. */
const FROM_HERE = { ...CLIENT, ip: '127.0.0.1' }

/** Nothing is measured meanwhile. */
const PATIENT = { DATABASE_TIMEOUT_MS: '3000', SESSION_STORE_TIMEOUT_MS: '3000' }

/** Users with e-mail and password. Each has a hash of its own. */
const USERS = 200
/** Sessions, each with an access token: more than fit into a processor's caches, fewer than the service keeps tokens. */
const SESSIONS = 5_000

/**
 * Makes keys, users and so many sessions by the service's own code, in this process and without its server. Each session has
 * a copy, unless `isCopied` is false.
 */
export async function seed(environment, { count = SESSIONS, isCopied = true } = {}) {
  await makeKeys(environment)
  const settings = readSettings({ ...PATIENT, ...environment })
  const app = await NestFactory.createApplicationContext(AppModule.with(settings, new Clock()), {
    logger: ['error', 'warn'],
    abortOnError: false,
  })
  try {
    const feed = app.get(ChangeFeed)
    await feed.start()
    const creation = app.get(UserAdministration)
    const sessions = app.get(SessionsService)
    const store = app.get(SessionStore)
    const database = app.get(Database)
    const users = await inBatches(USERS, index =>
      creation.createAccount(canonicalEmail(`user-${index}@customer.example`), PASSWORD),
    )
    const context = { source: 'satellite', client: FROM_HERE }
    const proof = { methods: authMethods('pwd') }
    const opened = await inBatches(count, async index => {
      const user = users[index % users.length]
      const created = sessions.create({ ...user, userId: user.id, entitled: null }, context, proof)
      await database.transaction(transaction => sessions.add(transaction, created.session))
      return created
    })
    if (!isCopied) return { users, opened }
    // Its first refresh leaves it.
    while (feed.origin === null) await sleep(100)
    await inBatches(count, index => store.touch(opened[index].session.sid, new Date()))
    return { users, opened }
  } finally {
    await app.close()
  }
}

/** The stored hashes of the seeded users. Throws when they are not of the parameters that the README names. */
export async function passwordHashes(databaseUrl) {
  const { rows } = await query(databaseUrl, 'select password_hash from users')
  const hashes = rows.map(row => row.password_hash)
  const others = hashes.filter(hash => !hash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))
  if (hashes.length === 0 || others.length > 0) throw new Error('The stored hashes are not as expected')
  return hashes
}

/** What the browser of a satellite sends along. */
const BROWSER = { Origin: SATELLITE, 'User-Agent': USER_AGENT, Accept: '*/*' }
const CONNECTIONS = 48
/** Far under the service's queue of 2 at work and 50 waiting, and enough that hashing never waits for anything else. */
const LOGIN_CONNECTIONS = 8

export function refreshRequests(opened) {
  const requests = opened.map(({ sessionId }) => ({
    method: 'POST',
    path: '/api/refresh',
    headers: { ...BROWSER, 'X-Session-ID': sessionId },
  }))
  return new Requests('refresh', requests, { connections: CONNECTIONS })
}

export function dataRequests(opened) {
  const requests = opened.map(({ accessToken }) => ({
    method: 'GET',
    path: '/api/data',
    headers: { ...BROWSER, Authorization: `Bearer ${accessToken}` },
  }))
  return new Requests('data', requests, { connections: CONNECTIONS })
}

export function loginRequests(users) {
  const requests = users.map(({ email }) => ({
    method: 'POST',
    path: '/api/login',
    headers: { ...BROWSER, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, source: 'satellite' }),
  }))
  return new Requests('login', requests, { connections: LOGIN_CONNECTIONS })
}
