import { describe, expect, it } from '@jest/globals'
import { aMember, anOwner, aSignedInOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { subjectsTo } from '../support/leaving-accounts.js'
import { aProvenOwner, onMainSite } from '../support/reauthenticate.js'
import { aMemberWith } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('The account', () => {
  const app = anApp()

  const read = (session: SignedIn) => onMainSite(app, session, 'GET', '/api/account')
  const rename = (session: SignedIn, body: object) => onMainSite(app, session, 'PATCH', '/api/account', body)

  async function changesOf(accountId: string) {
    return app.auditRows({ accountId, action: 'account.change' })
  }

  it('is shown to its owner', async () => {
    const owner = await anOwner(app)
    const answer = await read(await signIn(app, owner, 'main'))
    expect(outcome(answer)).toBe('200')
    expect(answer.json).toEqual({
      accountId: owner.accountId,
      name: null,
      handoffRequired: 'none',
      idleSeconds: null,
      createdAt: owner.createdAt.toISOString(),
      deletionGraceSeconds: app.settings.deletionGraceSeconds,
      transferWaitSeconds: app.settings.transferWaitSeconds,
      deleteAt: null,
      transfer: null,
    })
  })

  it('is renamed by its owner, and everybody who may sees it', async () => {
    const owner = await aSignedInOwner(app)
    const member = await aMemberWith(app, owner, 'accountSettings')
    const answer = await rename(owner, { name: 'Ångström & Söhne' })
    expect(outcome(answer)).toBe('200')
    expect(answer.json).toEqual({
      accountId: owner.accountId,
      name: 'Ångström & Söhne',
      handoffRequired: 'none',
      idleSeconds: null,
      createdAt: owner.createdAt.toISOString(),
      deletionGraceSeconds: app.settings.deletionGraceSeconds,
      transferWaitSeconds: app.settings.transferWaitSeconds,
      deleteAt: null,
      transfer: null,
    })
    expect((await read(await signIn(app, member, 'main'))).json).toEqual(answer.json)
    expect(await changesOf(owner.accountId)).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        userId: owner.id,
        sid: claimsOf(owner.accessToken).sid,
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
    const owner = await aProvenOwner(app)
    const bodies = [
      { handoffRequired: 'owners' },
      { name: 'Ours', handoffRequired: 'everyone' },
      { name: 'Still ours' },
      { handoffRequired: 'none' },
    ]
    const answers = []
    for (const body of bodies) answers.push((await rename(owner, body)).json)
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
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    for (const handoffRequired of ['owners', 'none'])
      expect((await rename(session, { name: 'Ours', handoffRequired })).json).toMatchObject({
        code: 'REAUTHENTICATION_REQUIRED',
      })
    expect((await read(session)).json).toMatchObject({ name: null, handoffRequired: 'everyone' })
  })

  slow(
    'mails its administrators when it requires them of fewer people than before, not of more',
    async () => {
      const owner = await aProvenOwner(app)
      const admin = await aMemberWith(app, owner, 'accountSettings')
      const member = await aMember(app, owner)
      const textsTo = async ({ email }: { email: string }) =>
        (await app.mailsTo(email)).map(({ text }) => text.replaceAll(/\s+/g, ' '))
      const set = async (handoffRequired: string) =>
        expect((await rename(owner, { handoffRequired })).status).toBe(200)
      for (const required of ['none', 'owners', 'everyone', 'everyone']) await set(required)
      expect(await textsTo(owner)).toEqual([])
      await set('owners')
      await rename(owner, { name: 'Ours' })
      await set('none')
      for (const person of [owner, admin]) {
        expect(await subjectsTo(app, person)).toEqual(
          Array(2).fill('New rules for logging in on your satellites'),
        )
        const [first, second] = await textsTo(person)
        expect(first).toContain('Only the owner still has to log in through the main site.')
        expect(first).toContain(`${MAIN}/account/satellites`)
        expect(second).toContain('Everyone, including the owner, may now type their password')
      }
      expect(await textsTo(member)).toEqual([])
      for (let again = 0; again < 4; again++) for (const required of ['everyone', 'none']) await set(required)
      expect(await textsTo(owner)).toHaveLength(4)
    },
  )

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

  it('refuses what is no name or requirement', async () => {
    const session = await signIn(app, await anOwner(app), 'main')
    for (const body of [
      {},
      { name: null },
      { name: '   ' },
      { name: 'x'.repeat(101) },
      { name: 'Ours\nBcc: all' },
      { name: 'Ours', deleteAt: null },
      { name: 'Ours', handoffRequired: null },
      { handoffRequired: 'strangers' },
    ])
      expect([body, outcome(await rename(session, body))]).toEqual([body, '400 INVALID_BODY'])
    expect((await read(session)).json.name).toBeNull()
  })
})

slow('says of owners who may not type their password on satellites that they still may not', async () => {
  const app = await TestApp.start({ OWNERS_ON_SATELLITES: 'barred' })
  try {
    const owner = await aProvenOwner(app)
    for (const handoffRequired of ['everyone', 'none', 'owners', 'none'])
      expect(outcome(await onMainSite(app, owner, 'PATCH', '/api/account', { handoffRequired }))).toBe('200')
    const texts = (await app.mailsTo(owner.email)).map(({ text }) => text.replaceAll(/\s+/g, ' '))
    expect(texts).toEqual([expect.stringContaining('Only the owner still has to log in')])
  } finally {
    await app.stop()
  }
})
