import { describe, expect, it } from '@jest/globals'
import { FactorResets, PendingTransfers, type User } from '../../../sources.js'
import { Authenticator } from '../../../support/authenticator.js'
import { giveTotp } from '../../../support/factors.js'
import { aMember, anEmail, anOwner, PASSWORD, type SignedIn } from '../../../support/people.js'
import { anApp } from '../../../support/test-app.js'
import { slow } from '../../../support/tiers.js'
import { outcome } from '../../support/api-calls.js'
import { subjectsTo } from '../../support/leaving-accounts.js'
import { addPasskey, provenPasskeySession } from '../../support/passkey-calls.js'
import { onMainSite, provenSession } from '../../support/reauthenticate.js'
import { team } from '../../support/team-calls.js'
import { requestTransfer } from '../../support/transfer-calls.js'

describe('What was started with the password alone', () => {
  const app = anApp({ PASSKEY_RP_ID: 'main.test' })

  const call = (session: SignedIn, method: string, path: string, body?: object) =>
    onMainSite(app, session, method, path, body)

  async function addTotp(session: SignedIn): Promise<string> {
    const { json } = await call(session, 'POST', '/api/second-factor/totp')
    const code = new Authenticator(app, json.secret).code()
    return outcome(await call(session, 'POST', '/api/second-factor/totp/confirm', { code }))
  }

  /** Another address, a reset of a member's factors and another owner: all that somebody with the password can ask for. */
  async function startAll(owner: User, session: SignedIn) {
    const [lost, heir] = [await aMember(app, owner), await aMember(app, owner)]
    await giveTotp(app, lost)
    const email = anEmail()
    const answers = [
      await call(session, 'POST', '/api/email/change', { email }),
      await team(app, session, 'POST', `/${lost.id}/second-factor/reset`),
      await requestTransfer(app, session, heir.id),
    ]
    expect(answers.map(outcome)).toEqual(['202', '202', '202'])
    return { owner, lost, heir, token: await app.mailedToken(email) }
  }

  /** Whether each of these is still under way; the first is tried. */
  async function pending({ owner, lost, token }: { owner: User; lost: User; token: string }) {
    const body = { token, password: PASSWORD }
    const confirmed = await app.post('/api/email/confirm', body)
    const [reset, transfer] = await app.database.run(async db => [
      await app.get(FactorResets).find(db, lost.id),
      await app.get(PendingTransfers).find(db, owner.accountId),
    ])
    return { address: outcome(confirmed), reset: reset !== null, transfer: transfer !== null }
  }

  const NOTHING = { address: '400 INVALID_LINK', reset: false, transfer: false }

  it.each<[string, (session: SignedIn) => Promise<string>, string]>([
    ['an authenticator app', addTotp, '200'],
    ['a passkey', async session => outcome(await addPasskey(app, session)), '201'],
  ])('is cancelled by the first second factor: %s', async (_, add, added) => {
    const owner = await anOwner(app)
    const started = await startAll(owner, await provenSession(app, owner))
    expect(await add(await provenSession(app, owner))).toBe(added)
    expect(await pending(started)).toEqual(NOTHING)
    for (const side of [owner, started.heir])
      expect(await subjectsTo(app, side)).toContainEqual(expect.stringMatching(/will not be transferred$/))
  })

  slow('and once more by giving the password up, whoever started it', async () => {
    const owner = await anOwner(app)
    const { authenticator } = await addPasskey(app, await provenSession(app, owner))
    const session = await provenPasskeySession(app, authenticator)
    const started = await startAll(owner, session)
    expect(outcome(await call(session, 'DELETE', '/api/password'))).toBe('204')
    expect(await pending(started)).toEqual(NOTHING)
    for (const side of [owner, started.heir])
      expect(await subjectsTo(app, side)).toContainEqual(expect.stringMatching(/will not be transferred$/))
  })

  slow('is left alone by another factor: whoever started it had the first', async () => {
    const owner = await anOwner(app)
    const { authenticator } = await addPasskey(app, await provenSession(app, owner))
    const session = await provenPasskeySession(app, authenticator)
    const started = await startAll(owner, session)
    expect(await addTotp(session)).toBe('200')
    expect(await pending(started)).toEqual({ address: '204', reset: true, transfer: true })
  })
})
