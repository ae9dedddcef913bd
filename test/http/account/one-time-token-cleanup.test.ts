import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { Database, OneTimeTokenCleanup, OneTimeTokens, oneTimeTokens, type Purpose } from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import { anEmail, anOwner, signIn } from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'

const HOUR = 60 * 60
const NEW_PASSWORD = 'seven quiet otters juggle'
const PURPOSES: Purpose[] = [
  'sign-up',
  'password-reset',
  'invitation',
  'email-change',
  'email-undo',
  'not-me',
]

describe('Expired links', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start({ SIGN_UP: 'on' })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })
  afterAll(() => app.stop())

  /** The next run of some replica. */
  async function run(): Promise<number | null> {
    await passTime(app, HOUR)
    return app.app.get(OneTimeTokenCleanup).run()
  }

  function kept(email: string) {
    return app.app
      .get(Database)
      .run(db => db.select().from(oneTimeTokens).where(eq(oneTimeTokens.email, email)))
  }

  async function issue(email: string, lifetimeSeconds: number, purpose: Purpose = 'invitation') {
    const token = { purpose, email, userId: randomUUID(), lifetimeSeconds }
    await app.app
      .get(Database)
      .transaction(transaction => app.app.get(OneTimeTokens).issue(transaction, token))
  }

  it('fleet 12: are cleared away in small statements, however many there are', async () => {
    const email = anEmail()
    const [createdAt, expiresAt] = [app.clock.now(), app.clock.now()]
    const token = { purpose: 'invitation', email, createdAt, expiresAt }
    const many = Array.from({ length: 5_001 }, () => ({ ...token, id: randomUUID(), hash: randomUUID() }))
    const database = app.app.get(Database)
    for (let from = 0; from < many.length; from += 1_000)
      await database.run(db => db.insert(oneTimeTokens).values(many.slice(from, from + 1_000)))
    const runs = jest.spyOn(database, 'run')
    expect(await run()).toBeGreaterThanOrEqual(5_001)
    expect(await kept(email)).toEqual([])
    expect(runs.mock.calls.length).toBeGreaterThanOrEqual(3)
  })

  it.each(PURPOSES)('are cleared away for %s, and good ones are not', async purpose => {
    const [old, good] = [anEmail(), anEmail()]
    await issue(old, HOUR - 1, purpose)
    await issue(good, HOUR + 60, purpose)
    await run()
    expect(await kept(old)).toEqual([])
    expect((await kept(good)).map(row => row.purpose)).toEqual([purpose])
  })

  it('are counted', async () => {
    await run()
    for (let number = 0; number < 3; number++) await issue(anEmail(), 60)
    expect(await run()).toBe(3)
    expect(await run()).toBe(0)
  })

  it('go with what they hold, such as the password of a sign-up that nobody confirmed', async () => {
    const email = anEmail()
    const answer = await app.request({
      method: 'POST',
      path: '/api/signup',
      headers: { Origin: MAIN },
      body: { email, password: NEW_PASSWORD },
      timeoutMs: 30_000,
    })
    expect(outcome(answer)).toBe('202')
    const [row] = await kept(email)
    expect(JSON.stringify(row?.detail)).toContain('argon2')
    await run()
    app.clock.advance(7 * 24 * HOUR)
    await run()
    expect(await kept(email)).toEqual([])
  })

  it('take no good one with them: a link mailed before the run still works after it', async () => {
    const owner = await anOwner(app)
    await passTime(app, HOUR)
    await mailResetLink(app, owner)
    await app.app.get(OneTimeTokenCleanup).run()
    const body = { token: await app.mailedToken(owner.email), password: NEW_PASSWORD }
    const path = '/api/password/reset'
    const answer = await app.request({ method: 'POST', path, headers: { Origin: MAIN }, body })
    expect(outcome(answer)).toBe('200')
    await expect(signIn(app, owner, 'main')).rejects.toThrow('401')
  })

  it('are cleared away by one replica at a time, and again an hour later', async () => {
    await issue(anEmail(), 60)
    await passTime(app, HOUR)
    const cleanup = app.app.get(OneTimeTokenCleanup)
    const counts = await Promise.all([cleanup.run(), cleanup.run(), cleanup.run()])
    expect(counts.filter(count => count === null)).toHaveLength(2)
    expect(await cleanup.run()).toBeNull()
    expect(await run()).toBe(0)
  })

  it('wait for the next run when one fails, which harms nothing else', async () => {
    const email = anEmail()
    await issue(email, 60)
    jest
      .spyOn(app.app.get(OneTimeTokens), 'removeExpired')
      .mockRejectedValueOnce(new Error('the database is away'))
    expect(await run()).toBeNull()
    expect(await kept(email)).toHaveLength(1)
    expect(await run()).toBe(1)
    expect(await kept(email)).toEqual([])
  })
})
