import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import {
  AUDIT_ACTIONS,
  AuditLog,
  AuditSealer,
  auditLog,
  RateLimiter,
  RefusalCleanup,
  refusalCounts,
  secondsAfter,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { passTime } from '../../support/passing-time.js'
import { anEmail, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, logOut, outcome, refreshByHeader } from '../support/api-calls.js'
import { onMainSite } from '../support/reauthenticate.js'

const TOO_MANY = '429 TOO_MANY_ATTEMPTS'
const REFUSALS = 1_000
const AT_ONCE = 50
/** Of one action from one network in an hour. */
const ROWS_AN_HOUR = 20
const MEGABYTE = 1_000_000
const LOGINS = 40
const WRITES = 30
const WRONG_IDS = 300
const HOUR_SECONDS = 60 * 60

const app = anApp({
  TRUST_PROXY: '127.0.0.1',
  HASH_CONCURRENCY: '1',
  // As long as in production: a queue has to form.
  HASH_MEMORY_KIB: '19456',
  LOGINS_PER_ACCOUNT: String(LOGINS),
  WRITES_PER_USER: String(WRITES),
  WRONG_SESSION_IDS_PER_NETWORK: String(WRONG_IDS),
})

/** Whatever was refused before, this hour is new, and nothing of the last one is still to be written. */
beforeEach(async () => {
  await app.get(AuditLog).flush()
  app.clock.advance(HOUR_SECONDS)
})

const allCounts = () => app.database.run(db => db.select().from(refusalCounts))

/** Of this hour. */
async function counts() {
  const before = secondsAfter(app.clock.now(), -HOUR_SECONDS / 2)
  return (await allCounts()).filter(({ minute }) => minute > before)
}

slow('security H5: a thousand refused origins are twenty audit rows, and the rest is counted', async () => {
  const before = await app.auditRows()
  for (let sent = 0; sent < REFUSALS; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => refused('198.51.100.7')))
  // Something else that is refused at the same time is not lost in the flood, and does not wait for its counts.
  const other = await refreshByHeader(app, 'junk', { Origin: SHOP_ONE })
  expect(outcome(other)).toBe('401 SESSION_NOT_FOUND')
  await eventually(() => isInTheLog(other), { what: 'the row of another refusal' })

  const written = (await app.auditRows()).slice(before.length)
  expect(written.filter(({ action }) => action === 'origin')).toHaveLength(ROWS_AN_HOUR)
  expect(written.filter(({ action }) => action === 'refresh')).toHaveLength(1)
  const counted = await counts()
  for (const { kind, network } of counted)
    expect({ kind, network }).toEqual({ kind: 'origin refused', network: '198.51.100.0/24' })
  expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(REFUSALS - ROWS_AN_HOUR)
})

slow('security H5: strangers write less than 50 MB a day, whatever they send from wherever', async () => {
  await app.get(AuditSealer).seal()
  const before = await bytes()
  // All that is there for an hour, used up, is what a day has 24 times.
  const ip = (index: number) => `2001:db8:${index.toString(16)}::1`
  for (let sent = 0; sent < 400; sent += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => hostile(sent + index, ip(sent + index))))
  const log = app.get(AuditLog)
  for (let sent = 0; sent < 20_000; sent++) {
    const action = AUDIT_ACTIONS[sent % AUDIT_ACTIONS.length] as (typeof AUDIT_ACTIONS)[number]
    const client = { requestId: randomUUID(), ip: ip(sent), userAgent: 'x'.repeat(64), origin: SHOP_ONE }
    const user = sent % 2 ? { userId: randomUUID(), accountId: randomUUID() } : {}
    const detail = { reason: 'unknown user', email: anEmail() }
    log.enqueue({ action, outcome: 'refused', client, ...user, detail })
    if (sent % 2_000 === 0) await log.flush()
  }
  await log.flush()
  await app.get(AuditSealer).seal()
  const grown = (await bytes()) - before
  expect(grown).toBeGreaterThan(MEGABYTE / 10)
  expect(24 * grown).toBeLessThan(50 * MEGABYTE)
  expect((await counts()).map(({ network }) => network)).toContain('others')
})

it('security H5: what one session changes in an hour is bounded, and its user can still leave', async () => {
  const owner = await anOwner(app)
  const [session, other] = [await signIn(app, owner, 'main'), await signIn(app, owner, 'main')]
  const rename = (who: SignedIn) => onMainSite(app, who, 'PATCH', '/api/profile', { name: 'Rosa' })
  const outcomes: string[] = []
  for (let time = 0; time < WRITES / 3 + 2; time++) outcomes.push(outcome(await rename(session)))
  expect(outcomes).toEqual([...Array(WRITES / 3).fill('200'), TOO_MANY, TOO_MANY])
  expect(outcome(await rename(other))).toBe('200')
  const read = await app.request({ path: '/api/profile', headers: bearer(session.accessToken) })
  expect(outcome(read)).toBe('200')
  expect(outcome(await logOut(app, session.accessToken))).toBe('204')
})

slow(
  'security H3: of 2,000 wrong session ids from one address the most are 429, the right one never is',
  async () => {
    const { sessionId } = await signIn(app, await anOwner(app), 'satellite')
    const refresh = (id: string, ip: string) =>
      refreshByHeader(app, id, { Origin: SHOP_ONE, 'X-Forwarded-For': ip })
    const outcomes: string[] = []
    for (let sent = 0; sent < 2_000; sent += AT_ONCE) {
      const guesses = Array.from({ length: AT_ONCE }, (_, index) =>
        // An identifier that cannot be ours is a guess like any other.
        refresh(index % 10 === 0 ? 'junk' : randomUUID(), '203.0.113.9'),
      )
      outcomes.push(...(await Promise.all(guesses)).map(outcome))
      if (sent % 500 === 0) expect(outcome(await refresh(sessionId, '203.0.113.9'))).toBe('200')
    }
    expect(outcomes.filter(what => what === '401 SESSION_NOT_FOUND')).toHaveLength(WRONG_IDS)
    expect(outcomes.filter(what => what === TOO_MANY)).toHaveLength(2_000 - WRONG_IDS)
    expect(outcome(await refresh(sessionId, '203.0.113.9'))).toBe('200')
    expect(outcome(await refresh(randomUUID(), '203.0.113.10'))).toBe('401 SESSION_NOT_FOUND')
    // A visitor who was never logged in names no session, and is no guesser.
    const visit = () => app.post('/api/refresh', undefined, { 'X-Forwarded-For': '203.0.113.9' })
    expect(outcome(await visit())).toBe('401 SESSION_NOT_FOUND')
  },
)

it('what is only noted does not use up the rows for refusals', async () => {
  const log = app.get(AuditLog)
  const client = { requestId: 'r', ip: '10.44.0.1', userAgent: null, origin: MAIN }
  for (let user = 0; user < 900; user++)
    log.enqueue({ action: 'session.anomaly', outcome: 'ok', userId: randomUUID(), client })
  await log.flush()
  const [refusedId, accountId] = [randomUUID(), randomUUID()]
  log.enqueue({ action: 'login', outcome: 'failed', userId: refusedId, accountId, client })
  const rows = await app.auditRows()
  expect(rows.filter(({ action }) => action === 'session.anomaly').length).toBeGreaterThanOrEqual(900)
  expect(rows.filter(({ userId }) => userId === refusedId)).toHaveLength(1)
})

it('security H4: right logins are bounded for an account from one network', async () => {
  const limits = app.get(RateLimiter)
  const [subject, client] = [anEmail(), { requestId: 'r', ip: '10.9.8.7', userAgent: null, origin: MAIN }]
  const logIn = (ip: string) =>
    limits
      .count({ kind: 'password', subject, client: { ...client, ip } }, isKnown)
      .then(counted => counted.succeeded())
      .then(() => 'right')
      .catch(({ code }) => code)
  const isKnown = async () => true
  for (let time = 0; time < LOGINS; time++) expect(await logIn('10.9.8.7')).toBe('right')
  expect(await logIn('10.9.8.7')).toBe('TOO_MANY_ATTEMPTS')
  // The user is let in from elsewhere, where they have logged in before.
  expect(await logIn('10.9.9.7')).toBe('right')
})

it('security H4: right logins are bounded for an account from a whole site, known as it may be', async () => {
  const limits = app.get(RateLimiter)
  const subject = anEmail()
  let letIn = 0
  for (let network = 0; network < 5; network++)
    for (let time = 0; time < LOGINS; time++) {
      const client = { requestId: 'r', ip: `2001:db8:7:${network}::1`, userAgent: null, origin: MAIN }
      const counted = await limits
        .count({ kind: 'password', subject, client }, async () => true)
        .catch(() => null)
      await counted?.succeeded()
      if (counted) letIn += 1
    }
  expect(letIn).toBe(2 * LOGINS)
})

slow('security H4: an address with endless correct logins keeps nobody else out', async () => {
  const flooders = await Promise.all(Array.from({ length: 7 }, () => anOwner(app)))
  const honest = await Promise.all(Array.from({ length: 14 }, () => anOwner(app)))
  const logIn = (email: string, ip: string) =>
    app.request({
      method: 'POST',
      path: '/api/login',
      headers: { Origin: SHOP_ONE, 'X-Forwarded-For': ip },
      body: { email, password: PASSWORD, source: 'satellite' },
      timeoutMs: 30_000,
    })
  let isOver = false
  const outcomes = new Set<string>()
  const flood = Array.from({ length: 60 }, async (_, index) => {
    while (!isOver) outcomes.add(outcome(await logIn(flooders[index % 7]?.email ?? '', '203.0.113.66')))
  })
  try {
    await eventually(() => outcomes.has('503 TOO_BUSY'), { what: 'more logins than there is room for' })
    const answers = await Promise.all(honest.map(({ email }, index) => logIn(email, `10.66.${index}.7`)))
    expect(answers.map(outcome)).toEqual(honest.map(() => '200'))
  } finally {
    isOver = true
    await Promise.all(flood)
  }
})

it('security H5: counts of refusals go after a month', async () => {
  for (let sent = 0; sent < 2 * ROWS_AN_HOUR; sent++) await refused('192.0.2.7')
  await app.get(AuditLog).flush()
  expect((await counts()).length).toBeGreaterThan(0)
  const cleanup = app.get(RefusalCleanup)
  app.clock.advance(29 * 24 * 60 * 60)
  expect(await cleanup.run()).toBe(0)
  await passTime(app, 2 * 24 * 60 * 60)
  expect(await cleanup.run()).toBeGreaterThan(0)
  expect(await allCounts()).toEqual([])
})

/** Of all tables and indexes, with what is dead in them. */
async function bytes(): Promise<number> {
  const all = sql`select sum(pg_total_relation_size(c.oid))::bigint as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'`
  const [row] = await app.query<{ bytes: string }>(all)
  return Number(row?.bytes)
}

/** One of what costs a stranger nothing. */
async function hostile(index: number, ip: string): Promise<void> {
  const from = { 'X-Forwarded-For': ip }
  const headers = { Origin: MAIN, ...from }
  const post = (path: string, body: object, more = {}) => app.post(path, body, { ...headers, ...more })
  const sent = [
    () => app.request({ path: '/api/data', headers: { ...from, Origin: 'https://flood.test' } }),
    () => app.request({ path: '/api/data', headers: { ...headers, Authorization: 'Bearer junk' } }),
    () => app.post('/api/refresh', undefined, { ...from, 'X-Session-ID': randomUUID() }),
    () => post('/api/password/forgot', { email: anEmail() }),
    () => post('/api/email/confirm', { token: 'A'.repeat(43) }),
    () => post('/api/password/reset', { token: 'A'.repeat(43), password: PASSWORD }),
    () => post('/api/webhooks/stripe', { id: 'evt_1' }, { 'Stripe-Signature': 't=1,v1=00' }),
    () =>
      index % 40 === 7 ? post('/api/login', { email: anEmail(), password: 'wrong', source: 'main' }) : null,
  ]
  await sent[index % sent.length]?.()
}

async function isInTheLog({ headers }: TestResponse): Promise<boolean> {
  const isOfRequest = eq(auditLog.requestId, headers['x-request-id'] ?? '')
  const rows = await app.database.run(db => db.select().from(auditLog).where(isOfRequest))
  return rows.length === 1
}

async function refused(ip: string): Promise<void> {
  const headers = { Origin: 'https://flood.test', 'X-Forwarded-For': ip }
  const { headers: answered } = await app.request({ method: 'PUT', path: '/api/data', headers })
  expect(answered['access-control-allow-origin']).not.toBe(MAIN)
}
