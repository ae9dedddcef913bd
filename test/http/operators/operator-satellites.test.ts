import { beforeAll, describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { accounts } from '../../sources.js'
import { anOwner } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { anApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { ConsoleUser, withConsole } from './console-calls.js'

interface Shown {
  readonly origin: string
  readonly accountName: string | null
}

describe('operator console: the list of satellites', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser
  const added: string[] = []
  beforeAll(async () => {
    operator = await ConsoleUser.loggedIn(app)
    const owner = await anOwner(app)
    await app.database.run(db =>
      db.update(accounts).set({ name: 'Rosa & Co' }).where(eq(accounts.id, owner.accountId)),
    )
    for (const name of ['alpha', 'alpine', 'beta', 'a_pha', 'gamma', 'alps']) {
      const satellite = await aSatellite(app, owner, `https://${name}.shops.example`)
      if (name === 'alps') await setSatelliteState(app, satellite, 'suspended')
      added.push(satellite.origin)
      app.clock.advance(1)
    }
  })

  async function list(query: Readonly<Record<string, string>>) {
    const { json } = await operator.get(`satellites?${new URLSearchParams(query)}`)
    return json as { satellites: Shown[]; next: string | null }
  }
  const originsOf = ({ satellites }: { satellites: Shown[] }) => satellites.map(({ origin }) => origin)

  it('is read page by page to its end, newest first, each with what its account is called', async () => {
    const seen: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: '4', ...(after && { after }) })
      expect(page.satellites.length).toBeLessThanOrEqual(4)
      expect(page.satellites.map(({ accountName }) => accountName)).toEqual(
        page.satellites.map(() => 'Rosa & Co'),
      )
      seen.push(...originsOf(page))
      after = page.next
    }
    expect(seen).toEqual(added.toReversed())
  })

  it('does not move the next page when one is added meanwhile', async () => {
    const { next } = await list({ limit: '2' })
    const owner = await anOwner(app)
    const newest = await aSatellite(app, owner, 'https://newest.shops.example')
    added.push(newest.origin)
    const page = await list({ limit: '2', after: next as string })
    expect(originsOf(page)).toEqual([added[3], added[2]])
  })

  it.each([
    ['https://alp', ['alps', 'alpine', 'alpha']],
    ['ALPI', ['alpine']],
    [' alpha.shops.example ', ['alpha']],
    ['a_p', ['a_pha']],
    ['%', []],
    ['shops', []],
  ])('finds by the beginning of the origin: “%s”', async (origin, names) => {
    expect(originsOf(await list({ origin }))).toEqual(names.map(name => `https://${name}.shops.example`))
  })

  it('finds so among those of one state, page by page', async () => {
    expect(originsOf(await list({ origin: 'alp', state: 'suspended' }))).toEqual([
      'https://alps.shops.example',
    ])
    const first = await list({ origin: 'alp', limit: '2' })
    const second = await list({ origin: 'alp', limit: '2', after: first.next as string })
    expect([...originsOf(first), ...originsOf(second)]).toEqual(
      ['alps', 'alpine', 'alpha'].map(name => `https://${name}.shops.example`),
    )
  })

  it.each(['after=nothing', 'limit=0', 'limit=1000', `origin=${'x'.repeat(255)}`])(
    'refuses %s',
    async query => {
      expect(outcome(await operator.get(`satellites?${query}`))).toBe('400 INVALID_QUERY')
    },
  )
})
