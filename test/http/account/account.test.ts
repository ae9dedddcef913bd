import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { bearer, cookie, logOut, outcome } from '../support/api-calls.js'
import { subjectsTo } from '../support/leaving-accounts.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'
import { aMemberWith } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('The account', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start()
  })
  afterAll(() => app.stop())

  const read = (session: SignedIn) => onMainSite(app, session, 'GET', '/api/account')
  const rename = (session: SignedIn, body: object) => onMainSite(app, session, 'PATCH', '/api/account', body)

  async function changesOf(accountId: string) {
    const rows = await app.auditRows()
    return rows.filter(row => row.accountId === accountId && row.action === 'account.change')
  }

  it('is shown to its owner', async () => {
    const owner = await anOwner(app)
    const answer = await read(await signIn(app, owner, 'main'))
    expect(outcome(answer)).toBe('200')
    expect(answer.json).toEqual({
      accountId: owner.accountId,
      name: null,
      handoffRequired: 'none',
      createdAt: owner.createdAt.toISOString(),
      deleteAt: null,
      transfer: null,
    })
  })

  it('is renamed by its owner, and everybody who may sees it', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    const member = await aMemberWith(app, owner, 'accountSettings')
    const answer = await rename(session, { name: 'Ångström & Söhne' })
    expect(outcome(answer)).toBe('200')
    expect(answer.json).toEqual({
      accountId: owner.accountId,
      name: 'Ångström & Söhne',
      handoffRequired: 'none',
      createdAt: owner.createdAt.toISOString(),
      deleteAt: null,
      transfer: null,
    })
    expect((await read(await signIn(app, member, 'main'))).json).toEqual(answer.json)
    expect(await changesOf(owner.accountId)).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        userId: owner.id,
        sid: claimsOf(session.accessToken).sid,
        origin: MAIN,
        detail: { name: 'Ångström & Söhne' },
      }),
    ])
  })

  it('is renamed by a member with accountSettings', async () => {
    const owner = await anOwner(app)
    const member = await aMemberWith(app, owner, 'accountSettings')
    const answer = await rename(await signIn(app, member, 'main'), { name: 'Second' })
    expect([outcome(answer), answer.json.name]).toEqual(['200', 'Second'])
    expect((await changesOf(owner.accountId)).map(({ userId }) => userId)).toEqual([member.id])
  })

  it('requires hand-offs of its owner or of everybody, beside its name or alone', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const bodies = [
      { handoffRequired: 'owners' },
      { name: 'Ours', handoffRequired: 'everyone' },
      { name: 'Still ours' },
      { handoffRequired: 'none' },
    ]
    const answers = []
    for (const body of bodies) answers.push((await rename(session, body)).json)
    expect(answers.map(({ name, handoffRequired }) => [name, handoffRequired])).toEqual([
      [null, 'owners'],
      ['Ours', 'everyone'],
      ['Still ours', 'everyone'],
      ['Still ours', 'none'],
    ])
    expect((await changesOf(owner.accountId)).map(({ detail }) => detail)).toEqual(bodies)
  })

  it('requires them of fewer people, or of nobody, only after a re-authentication', async () => {
    const session = await signIn(app, await anOwner(app), 'main')
    expect((await rename(session, { handoffRequired: 'everyone' })).status).toBe(200)
    for (const handoffRequired of ['owners', 'none'])
      expect((await rename(session, { name: 'Ours', handoffRequired })).json).toMatchObject({
        code: 'REAUTHENTICATION_REQUIRED',
      })
    expect((await read(session)).json).toMatchObject({ name: null, handoffRequired: 'everyone' })
  })

  it('mails its administrators when it requires them of fewer people than before, not of more', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const admin = await aMemberWith(app, owner, 'accountSettings')
    const member = await aMember(app, owner)
    const textsTo = async ({ email }: { email: string }) =>
      (await app.mailsTo(email)).map(({ text }) => text.replaceAll(/\s+/g, ' '))
    const set = async (handoffRequired: string) =>
      expect((await rename(session, { handoffRequired })).status).toBe(200)
    for (const required of ['none', 'owners', 'everyone', 'everyone']) await set(required)
    expect(await textsTo(owner)).toEqual([])
    await set('owners')
    await rename(session, { name: 'Ours' })
    await set('none')
    for (const person of [owner, admin]) {
      expect(await subjectsTo(app, person)).toEqual(
        Array(2).fill('New rules for logging in on your satellites'),
      )
      const [first, second] = await textsTo(person)
      expect(first).toContain('Only the owner still has to log in through the main site.')
      expect(first).toContain(`${MAIN}/account/satellites`)
      expect(second).toContain('Everybody, including the owner, may now type their password')
    }
    expect(await textsTo(member)).toEqual([])
    for (let again = 0; again < 4; again++) for (const required of ['everyone', 'none']) await set(required)
    expect(await textsTo(owner)).toHaveLength(4)
  })

  it('leaves other accounts alone', async () => {
    const other = await signIn(app, await anOwner(app), 'main')
    await rename(await signIn(app, await anOwner(app), 'main'), { name: 'Ours' })
    expect((await read(other)).json.name).toBeNull()
  })

  it('is neither shown to nor renamed by a member without accountSettings', async () => {
    const owner = await anOwner(app)
    const plain = await signIn(app, await aMember(app, owner), 'main')
    for (const answer of [await read(plain), await rename(plain, { name: 'Mine' })])
      expect(outcome(answer)).toBe('403 PERMISSION_REQUIRED')
    expect((await read(await signIn(app, owner, 'main'))).json.name).toBeNull()
    expect(await changesOf(owner.accountId)).toEqual([])
  })

  it.each(['GET', 'PATCH'])('answers %s to token and cookie of one main session alone', async method => {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const another = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    const asked = async (headers: Record<string, string>) => {
      const body = method === 'PATCH' ? { body: { name: 'Stolen' } } : {}
      return outcome(await app.request({ method, path: '/api/account', headers, ...body }))
    }
    expect(await asked({ Origin: MAIN, ...cookie(main.sessionId) })).toBe('401 ACCESS_TOKEN_REQUIRED')
    expect(await asked({ Origin: MAIN, ...bearer(main.accessToken) })).toBe('403 SESSION_COOKIE_REQUIRED')
    expect(await asked({ ...bearer(main.accessToken), ...cookie(another.sessionId) })).toBe(
      '403 SESSION_MISMATCH',
    )
    expect(await asked({ Origin: SHOP_ONE, ...bearer(satellite.accessToken) })).toBe(
      '403 SESSION_COOKIE_REQUIRED',
    )
    expect(await asked({ ...bearer(satellite.accessToken), ...cookie(satellite.sessionId) })).toBe(
      '403 MAIN_SOURCE_REQUIRED',
    )
    expect((await read(main)).json.name).toBeNull()
  })

  it('is not shown to a session that has ended', async () => {
    const session = await signIn(app, await anOwner(app), 'main')
    await logOut(app, session.accessToken)
    for (const answer of [await read(session), await rename(session, { name: 'Late' })])
      expect(outcome(answer)).toBe('401 SESSION_NOT_FOUND')
  })

  it.each([
    ['no name', {}],
    ['null', { name: null }],
    ['nothing that can be seen', { name: '   ' }],
    ['more than a hundred characters', { name: 'x'.repeat(101) }],
    ['no such requirement', { handoffRequired: 'strangers' }],
    ['no requirement', { name: 'Ours', handoffRequired: null }],
    ['a line break', { name: 'Ours\nBcc: all' }],
    ['anything but the name', { name: 'Ours', deleteAt: null }],
  ])('refuses %s', async (_, body) => {
    const session = await signIn(app, await anOwner(app), 'main')
    expect(outcome(await rename(session, body))).toBe('400 INVALID_BODY')
    expect((await read(session)).json.name).toBeNull()
  })
})

it('says of owners who may not type their password on satellites that they still may not', async () => {
  const app = await TestApp.start({ OWNERS_ON_SATELLITES: 'barred' })
  try {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    for (const handoffRequired of ['everyone', 'none', 'owners', 'none'])
      expect(outcome(await onMainSite(app, session, 'PATCH', '/api/account', { handoffRequired }))).toBe(
        '200',
      )
    const texts = (await app.mailsTo(owner.email)).map(({ text }) => text.replaceAll(/\s+/g, ' '))
    expect(texts).toEqual([expect.stringContaining('Only the owner still has to log in')])
  } finally {
    await app.stop()
  }
})
