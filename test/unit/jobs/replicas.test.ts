import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { LeasedJobs, SessionCleanup, SessionStore, takeLease, UserAdministration } from '../../sources.js'
import { ageLeases } from '../../support/passing-time.js'
import { anOwner, signIn } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { onServers } from '../../support/tiers.js'

const DAYS_31 = 31 * 24 * 60 * 60
const LEASE_SECONDS = 9 * 60

describe.each([
  ['Redis', {}],
  ['the database', { SESSION_STORE_URL: '' }],
])('Two replicas with sessions in %s', (_, environment) => {
  let first: TestApp
  let second: TestApp
  beforeAll(async () => {
    first = await TestApp.start(environment)
    const { databaseUrl, sessionStoreUrl } = first.settings
    second = await TestApp.start({
      DATABASE_URL: databaseUrl,
      SESSION_STORE_URL: sessionStoreUrl ?? '',
    })
  })
  afterAll(async () => {
    await second.stop()
    await first.stop()
  })

  describe('a lease', () => {
    onServers('is taken by one of many who want it at once', async () => {
      const results = await takeAtOnce('at once')
      expect(results.filter(isTaken => isTaken)).toHaveLength(1)
    })

    onServers('is free again when it has run out, for one', async () => {
      await takeAtOnce('again')
      await ageLeases(first, 50)
      expect(await takeAtOnce('again')).not.toContain(true)
      await ageLeases(first, 11)
      const results = await takeAtOnce('again')
      expect(results.filter(isTaken => isTaken)).toHaveLength(1)
    })

    onServers('does not keep another one', async () => {
      await takeAtOnce('one')
      expect(await takeAtOnce('other')).toContain(true)
    })

    onServers.each([-2, 2])('is kept from a replica whose clock is %d hours off', async hours => {
      const job = { name: `${hours} hours off`, everyMs: 60_000 }
      const run = (replica: TestApp) => replica.app.get(LeasedJobs).run(job, async () => 'ran')
      second.clock.advance(hours * 60 * 60)
      try {
        expect(await run(first)).toBe('ran')
        expect(await run(second)).toBeNull()
        await ageLeases(first, 60)
        expect(await run(second)).toBe('ran')
        expect(await run(first)).toBeNull()
        await ageLeases(first, 60)
        expect(await run(first)).toBe('ran')
      } finally {
        second.clock.advance(-hours * 60 * 60)
      }
    })

    onServers('from before the database’s clock was set back does not keep a job from running', async () => {
      const job = { name: 'wrong clock', everyMs: 60_000, restSeconds: 12 * 60 * 60 }
      const run = () => first.get(LeasedJobs).run(job, async () => 'ran')
      await takeAtOnce(job.name)
      await ageLeases(first, -24 * 60 * 60)
      expect(await run()).toBe('ran')
      expect(await run()).toBeNull()
    })

    function takeAtOnce(name: string): Promise<boolean[]> {
      return Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          takeLease((index % 2 ? first : second).database, name, { seconds: 60 }),
        ),
      )
    }
  })

  describe('the cleanup', () => {
    onServers('at the same moment is done by one of them, and leaves what is live', async () => {
      const owner = await anOwner(first)
      await signIn(first, owner, 'main')
      await signIn(second, owner, 'satellite')
      const ended = await anOwner(first)
      await signIn(first, ended, 'satellite')
      await first.get(UserAdministration).endSessions(ended)
      for (const replica of [first, second]) replica.clock.advance(DAYS_31)
      const late = await anOwner(first)
      await signIn(first, late, 'main')

      const results = await cleanUpAtOnce()
      // Two sessions and the recorded end of another.
      expect(results).toEqual(expect.arrayContaining([null, expect.any(Number)]))
      expect(results.find(removed => removed !== null)).toBeGreaterThanOrEqual(3)
      const live = await first.get(SessionStore).listByUser(late.id, first.clock.now())
      expect(live).toHaveLength(1)

      expect(await cleanUpAtOnce()).toEqual([null, null])
      await ageLeases(first, LEASE_SECONDS + 60)
      expect((await cleanUpAtOnce()).sort()).toEqual([0, null])
    })

    function cleanUpAtOnce(): Promise<(number | null)[]> {
      return Promise.all([first, second].map(replica => replica.app.get(SessionCleanup).run()))
    }
  })
})
