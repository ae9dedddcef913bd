import { beforeAll, describe, expect, it } from '@jest/globals'
import type { User } from '../../sources.js'
import { anEmail, anOwner } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { anOrigin } from '../support/satellite-calls.js'
import { ConsoleUser, startWithConsole, withConsole } from './console-calls.js'

const REASON = 'asked for by phone, ticket 4711'

interface Entry {
  readonly action: string
  readonly outcome: string
  readonly operator: string | null
  readonly email: string | null
  readonly accountId: string | null
  readonly reason: string | null
}

describe('operator console: what operators did', () => {
  const app = anApp(withConsole())
  let one: ConsoleUser
  let other: ConsoleUser
  let owner: User
  let between: Date
  beforeAll(async () => {
    one = await ConsoleUser.loggedIn(app)
    other = await ConsoleUser.loggedIn(app)
    owner = await anOwner(app)
    await one.get(`users/${owner.id}`)
    await one.post(`users/${owner.id}/disable`, { reason: REASON })
    app.clock.advance(30)
    between = app.clock.now()
    app.clock.advance(30)
    await other.post(`users/${owner.id}/enable`, { reason: 'it was them' })
    await other.get(`search?${new URLSearchParams({ q: owner.email })}`)
  })

  async function entries(query: Readonly<Record<string, string>> = {}, by = one): Promise<Entry[]> {
    const answer = await by.get(`activity?${new URLSearchParams(query)}`)
    expect(outcome(answer)).toBe('200')
    return answer.json.entries
  }
  const actionsOf = (found: readonly Entry[]) => found.map(({ action }) => action)

  it('says who did what to whom, and why', async () => {
    expect(await entries({ kind: 'changes', limit: '2' })).toMatchObject([
      { action: 'user.enable', operator: other.email, email: owner.email, reason: 'it was them' },
      {
        ...{ action: 'user.disable', operator: one.email, email: owner.email, reason: REASON },
        ...{ userId: owner.id, accountId: owner.accountId, accountName: null, outcome: 'ok' },
      },
    ])
  })

  it('by operator', async () => {
    const mine = await entries({ operator: one.id, kind: 'changes' })
    expect(new Set(mine.map(({ operator }) => operator))).toEqual(new Set([one.email]))
    expect(actionsOf(mine)).toContain('user.disable')
    expect(await entries({ operator: '11111111-1111-4111-8111-111111111111' })).toEqual([])
  })

  it('by action, and by what kind of action', async () => {
    expect(await entries({ action: 'user.enable' })).toMatchObject([{ operator: other.email }])
    const logins = new Set(actionsOf(await entries({ kind: 'logins' })))
    expect(logins).toEqual(new Set(['operator.login']))
    const looks = actionsOf(await entries({ kind: 'looks' }))
    expect(looks).toEqual(expect.arrayContaining(['operator.view', 'operator.search']))
    expect(looks.filter(action => action.startsWith('user.'))).toEqual([])
  })

  it('by time', async () => {
    const time = between.toISOString()
    expect(actionsOf(await entries({ kind: 'changes', to: time }))[0]).toBe('user.disable')
    expect(actionsOf(await entries({ kind: 'changes', from: time }))).toEqual(['user.enable'])
    expect(await entries({ from: '2099-01-01T00:00:00Z' })).toEqual([])
  })

  it('page by page, each row once', async () => {
    const whole = await entries({ kind: 'changes' })
    const seen: Entry[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query = new URLSearchParams({ kind: 'changes', limit: '2', ...(after && { after }) })
      const { json } = await one.get(`activity?${query}`)
      seen.push(...json.entries)
      after = json.next
    }
    expect(seen).toEqual(whole)
    expect(whole.length).toBeGreaterThan(3)
  })

  it('has the logins of operators that failed', async () => {
    await one.logIn({ password: 'not the password' })
    await app.auditRows()
    expect((await entries({ kind: 'logins' }, other))[0]).toMatchObject({
      ...{ action: 'operator.login', outcome: 'failed', operator: one.email, reason: 'wrong password' },
    })
  })

  it('is recorded as a look where there are people in it, and only there', async () => {
    const before = (await app.auditRows()).length
    await entries({ kind: 'logins' })
    expect(await app.auditRows()).toHaveLength(before)
    await entries({ action: 'user.disable' })
    expect((await app.auditRows()).slice(before)).toMatchObject([
      {
        ...{ action: 'operator.list', accountId: null, userId: null },
        detail: { operator: one.id, list: 'activity', users: expect.arrayContaining([owner.id]) },
      },
    ])
  })

  it.each(['operator=somebody', 'kind=all', 'action=nothing', 'from=yesterday', 'after=x', 'limit=0'])(
    'refuses %s',
    async query => {
      expect(outcome(await one.get(`activity?${query}`))).toBe('400 INVALID_QUERY')
    },
  )
})

describe('operator console: what was done at the command line', () => {
  slow('is among it, with a reason or without, and nothing that users did is', async () => {
    const app = await startWithConsole()
    try {
      const mainstay = (...args: string[]) =>
        runInProcess(args, { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores })
      const somebody = await anOwner(app)
      await mainstay('user:disable', somebody.email, '--reason', REASON)
      await mainstay('user:enable', somebody.email)
      const email = anEmail()
      const origin = anOrigin()
      await mainstay('account:create', '--email', email, '--reason', REASON)
      await mainstay('satellite:add', origin, '--owner', email, '--proven', '--reason', REASON)
      await mainstay(
        ...['satellite:add', origin, '--owner', somebody.email, '--proven', '--move', '--reason', REASON],
      )
      await mainstay('audit:export', '--owner', email)
      const operator = await ConsoleUser.loggedIn(app)
      const { json } = await operator.get('activity?operator=command+line')
      // The operator who asks was added there, too.
      expect(json.entries).toMatchObject([
        { action: 'operator.add', operator: null, detail: { email: operator.email } },
        { action: 'audit.export', operator: null, reason: null },
        { action: 'satellite.verify', operator: null, reason: REASON },
        // For the account that had it.
        { action: 'satellite.move', operator: null, reason: REASON },
        { action: 'satellite.add', operator: null, reason: REASON },
        { action: 'satellite.verify', operator: null, reason: REASON },
        { action: 'satellite.add', operator: null, reason: REASON },
        { action: 'account.create', operator: null, email, reason: REASON },
        { action: 'user.enable', operator: null, email: somebody.email, reason: null },
        { action: 'user.disable', operator: null, email: somebody.email, reason: REASON },
      ])
      const all = (await operator.get('activity')).json.entries as Entry[]
      // That of `somebody` is their own, by the front door.
      expect(all.filter(({ action }) => action === 'account.create')).toHaveLength(1)
    } finally {
      await app.stop()
    }
  })
})
