import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { accounts, OneTimeTokens, oneTimeTokens } from '../../sources.js'
import { aMember, anEmail, anOwner, PASSWORD } from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'
import { accept, aManager, team } from '../support/team-calls.js'
import { requestTransfer } from '../support/transfer-calls.js'

const NO_ACCOUNT = { accountName: null, invitedBy: null, satellites: null }

describe('What a mailed link is about', () => {
  const app = anApp({
    SIGN_UP: 'on',
    ATTEMPTS_PER_NETWORK: '20',
  })

  const preview = (token: unknown, localAddress = '127.0.0.1') =>
    app.request({
      method: 'POST',
      path: '/api/mailed-links/preview',
      headers: { Origin: MAIN },
      body: { token },
      localAddress,
    })

  async function anAccount(name: string | null = 'Rose & Sons') {
    const owner = await anOwner(app)
    await app.database.run(db => db.update(accounts).set({ name }).where(eq(accounts.id, owner.accountId)))
    return { owner, session: await provenSession(app, owner) }
  }

  it('an invitation: the team, who invites, and the sites that are proven', async () => {
    const { owner, session } = await anAccount()
    const email = anEmail()
    await team(app, session, 'POST', '/invitations', { email, satellites: [SHOP_ONE] })
    const token = await app.mailedToken(email)
    const answer = await preview(token)
    expect(answer.json).toEqual({
      email,
      accountName: 'Rose & Sons',
      invitedBy: owner.email,
      satellites: [SHOP_ONE],
    })
    expect([answer.headers['cache-control'], answer.setCookies]).toEqual(['no-store', []])
    await app.database.run(db =>
      db
        .update(oneTimeTokens)
        .set({ detail: { invitedBy: owner.id, satellites: [SHOP_ONE, 'https://evil.example'] } })
        .where(eq(oneTimeTokens.email, email)),
    )
    expect((await preview(token)).json.satellites).toEqual([SHOP_ONE])
  })

  it('an invitation to all sites, to a team whose name could mislead', async () => {
    const { owner } = await anAccount('Win at evil.example')
    const manager = await aManager(app, owner)
    const email = anEmail()
    await team(app, manager.session, 'POST', '/invitations', { email })
    const { json } = await preview(await app.mailedToken(email))
    expect(json).toEqual({ email, accountName: null, invitedBy: manager.user.email, satellites: null })
  })

  slow('can be asked as often as one likes, and uses nothing up', async () => {
    const { session } = await anAccount()
    const email = anEmail()
    await team(app, session, 'POST', '/invitations', { email })
    const token = await app.mailedToken(email)
    for (let each = 0; each < 25; each++) expect(outcome(await preview(token))).toBe('200')
    expect(outcome(await accept(app, { token, password: PASSWORD }))).toBe('201')
    expect(outcome(await preview(token))).toBe('400 INVALID_LINK')
  })

  it('a transfer: the account, to whoever accepts or stops it', async () => {
    const { owner, session } = await anAccount()
    const member = await aMember(app, owner)
    expect(outcome(await requestTransfer(app, session, member.id))).toBe('202')
    for (const { email } of [owner, member])
      expect((await preview(await app.mailedToken(email))).json).toEqual({
        ...NO_ACCOUNT,
        email,
        accountName: 'Rose & Sons',
      })
  })

  it('a sign-up, a new password and a change of address: the address alone', async () => {
    const { owner, session } = await anAccount()
    const [stranger, next] = [anEmail(), anEmail()]
    const post = (path: string, body: object) => app.post(path, body)
    await post('/api/signup', { email: stranger, password: PASSWORD })
    await mailResetLink(app, owner)
    const reset = await app.mailedToken(owner.email, '/reset-password')
    expect((await preview(reset)).json).toEqual({ email: owner.email, ...NO_ACCOUNT })
    await onMainSite(app, session, 'POST', '/api/email/change', { email: next })
    for (const email of [stranger, next])
      expect((await preview(await app.mailedToken(email))).json).toEqual({ email, ...NO_ACCOUNT })
  })

  it('is nothing for a token that was never mailed', async () => {
    const { id: userId, accountId, email } = await anOwner(app)
    for (const purpose of ['handoff', 'second-factor', 'handoff-used', 'passkey-used'] as const) {
      const issued = { purpose, email, userId, accountId, lifetimeSeconds: 60 }
      const token = await app.database.transaction(db => app.get(OneTimeTokens).issue(db, issued))
      expect([purpose, outcome(await preview(token))]).toEqual([purpose, '400 INVALID_LINK'])
    }
  })

  it('is refused without a token, and counts what is guessed as where links are used', async () => {
    expect(outcome(await preview(undefined))).toBe('400 INVALID_BODY')
    const links: string[] = []
    for (let each = 0; each < 21; each++) links.push(outcome(await preview('A'.repeat(43), '127.0.0.9')))
    expect(links).toEqual([...Array(20).fill('400 INVALID_LINK'), '429 TOO_MANY_ATTEMPTS'])
    const accepted = await app.request({
      method: 'POST',
      path: '/api/password/reset',
      headers: { Origin: MAIN },
      body: { token: 'B'.repeat(43), password: PASSWORD },
      localAddress: '127.0.0.9',
    })
    expect(outcome(accepted)).toBe('429 TOO_MANY_ATTEMPTS')
  })
})
