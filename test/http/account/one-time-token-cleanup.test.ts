import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { OneTimeTokenCleanup, OneTimeTokens, oneTimeTokens } from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import { anEmail } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'

const HOUR = 60 * 60
const NEW_PASSWORD = 'seven quiet otters juggle'

describe('Expired links', () => {
  const app = anApp({ SIGN_UP: 'on' })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  /** The next run of some replica. */
  async function run(): Promise<number | null> {
    await passTime(app, HOUR)
    return app.get(OneTimeTokenCleanup).run()
  }

  function kept(email: string) {
    return app.database.run(db => db.select().from(oneTimeTokens).where(eq(oneTimeTokens.email, email)))
  }

  async function issue(email: string, lifetimeSeconds: number) {
    const token = { purpose: 'invitation' as const, email, userId: randomUUID(), lifetimeSeconds }
    await app.database.transaction(transaction => app.get(OneTimeTokens).issue(transaction, token))
  }

  slow('fleet 12: are cleared away in small statements, however many there are', async () => {
    const email = anEmail()
    const [createdAt, expiresAt] = [app.clock.now(), app.clock.now()]
    const token = { purpose: 'invitation', email, createdAt, expiresAt }
    const many = Array.from({ length: 5_001 }, () => ({ ...token, id: randomUUID(), hash: randomUUID() }))
    const database = app.database
    for (let from = 0; from < many.length; from += 1_000)
      await database.run(db => db.insert(oneTimeTokens).values(many.slice(from, from + 1_000)))
    const runs = jest.spyOn(database, 'run')
    expect(await run()).toBeGreaterThanOrEqual(5_001)
    expect(await kept(email)).toEqual([])
    expect(runs.mock.calls.length).toBeGreaterThanOrEqual(3)
  })

  it('are cleared away, and good ones are not', async () => {
    const [old, good] = [anEmail(), anEmail()]
    await issue(old, HOUR - 1)
    await issue(good, HOUR + 60)
    await run()
    expect(await kept(old)).toEqual([])
    expect(await kept(good)).toHaveLength(1)
  })

  slow('go with what they hold, such as the password of a sign-up that nobody confirmed', async () => {
    const email = anEmail()
    const answer = await app.post('/api/signup', { email, password: NEW_PASSWORD })
    expect(outcome(answer)).toBe('202')
    const [row] = await kept(email)
    expect(JSON.stringify(row?.detail)).toContain('argon2')
    await run()
    app.clock.advance(7 * 24 * HOUR)
    await run()
    expect(await kept(email)).toEqual([])
  })

  it('are cleared away by one replica at a time, and again an hour later', async () => {
    await issue(anEmail(), 60)
    await passTime(app, HOUR)
    const cleanup = app.get(OneTimeTokenCleanup)
    const counts = await Promise.all([cleanup.run(), cleanup.run(), cleanup.run()])
    expect(counts.filter(count => count === null)).toHaveLength(2)
    expect(await cleanup.run()).toBeNull()
    expect(await run()).toBe(0)
  })

  it('wait for the next run when one fails, which harms nothing else', async () => {
    const email = anEmail()
    await issue(email, 60)
    jest
      .spyOn(app.get(OneTimeTokens), 'removeExpired')
      .mockRejectedValueOnce(new Error('the database is away'))
    expect(await run()).toBeNull()
    expect(await kept(email)).toHaveLength(1)
    expect(await run()).toBe(1)
    expect(await kept(email)).toEqual([])
  })
})
