import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AnomalyMails,
  newDeviceNotice,
  passkeys,
  recoveryCodes,
  rememberedDevices,
  totpFactors,
  type User,
  UserAdministration,
  Users,
} from '../../sources.js'
import {
  Authenticator,
  aChallenge,
  giveAuthenticator,
  giveRecoveryCodes,
  secondStep,
} from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { prove } from '../../support/factors.js'
import { aMember, anEmail, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie } from '../support/api-calls.js'
import { aProvenOwner, onMainSite, provenSession, reauthenticate } from '../support/reauthenticate.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

describe('Factors of somebody who takes their account back', () => {
  const app = anApp({ ANOMALY_POLICY: 'notify:10' })

  const call = (path: string, body: object, headers: Record<string, string> = {}) =>
    app.post(path, body, { Origin: MAIN, ...headers })

  /** As a page of ours would add one. */
  async function givePasskey({ id: userId }: User) {
    const id = crypto.randomUUID()
    await app.database.run(db =>
      db.insert(passkeys).values({
        ...{ id, userId, rpId: 'main.test', credentialId: id, publicKey: 'AA', counter: 0, transports: [] },
        ...{
          isBackupEligible: false,
          isBackedUp: false,
          aaguid: id,
          name: 'Passkey',
          createdAt: app.clock.now(),
        },
      }),
    )
    return id
  }

  async function rememberDevice({ id: userId }: User) {
    const now = app.clock.now()
    const id = crypto.randomUUID()
    const times = { createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + 1e9) }
    await app.database.run(db =>
      db.insert(rememberedDevices).values({ id, userId, hash: id, name: 'Firefox', ...times }),
    )
  }

  async function whatIsLeft({ id }: User) {
    return app.database.run(async db => ({
      totp: await db.$count(totpFactors, eq(totpFactors.userId, id)),
      passkeys: (await db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, id))).map(
        row => row.id,
      ),
      codes: await db.$count(recoveryCodes, eq(recoveryCodes.userId, id)),
      devices: await db.$count(rememberedDevices, eq(rememberedDevices.userId, id)),
      hasSecondFactor: (await app.get(Users).find(id))?.hasSecondFactor,
    }))
  }

  async function passwordFor(email: string, body = { password: `${PASSWORD} again` }) {
    expect(outcome(await call('/api/password/forgot', { email }))).toBe('202')
    return call('/api/password/reset', { token: await app.mailedToken(email), ...body })
  }

  /** The address is another, as a thief would have it; the token of the owner's way back. */
  async function changeAddress(user: User, session: SignedIn) {
    const email = anEmail()
    await onMainSite(app, session, 'POST', '/api/email/change', { email })
    const token = await app.mailedToken(email)
    expect(outcome(await onMainSite(app, session, 'POST', '/api/email/confirm', { token }))).toBe('204')
    return { email, undo: await app.mailedToken(user.email) }
  }

  it('"this was not me" removes what was added since that login, and keeps what was there', async () => {
    const owner = await anOwner(app)
    await signIn(app, owner, 'main')
    const kept = await givePasskey(owner)
    app.clock.advance(HOUR)
    // A thief with the password, from another kind of device, before the owner had a second factor that counts.
    const { status } = await call(
      '/api/login',
      { email: owner.email, password: PASSWORD, source: 'main' },
      { 'User-Agent': PHONE },
    )
    expect(status).toBe(200)
    app.clock.advance(60)
    await giveAuthenticator(app, owner)
    await giveRecoveryCodes(app, owner)
    await givePasskey(owner)
    await rememberDevice(owner)
    const token = await app.mailedToken(owner.email)
    expect(outcome(await call('/api/sessions/not-me', { token }))).toBe('204')
    expect(await whatIsLeft(owner)).toEqual({
      ...{ totp: 0, passkeys: [kept], codes: 0, devices: 0, hasSecondFactor: true },
    })
  })

  /** A session of the main site from a new kind of device, by password; the owner is mailed. */
  async function asThief(owner: User, device = PHONE): Promise<SignedIn> {
    const answer = await call(
      '/api/login',
      { email: owner.email, password: PASSWORD, source: 'main' },
      { 'User-Agent': device },
    )
    expect(answer.status).toBe(200)
    const cookies = answer.setCookies.map(text => /^sessionId=([^;]*)/.exec(text)?.[1])
    const session = { ...answer.json, sessionId: cookies.find(value => value) as string, answer }
    expect((await reauthenticate(app, session)).status).toBe(200)
    return session
  }

  const notMe = async (owner: User) => {
    // Mails about factors are prepared after the answer.
    await eventually(async () => (await app.mailsTo(owner.email)).length > 1)
    return outcome(await call('/api/sessions/not-me', { token: await app.mailedToken(owner.email) }))
  }

  it('security F2: removes an app that a thief began in one session and confirmed in another', async () => {
    const owner = await anOwner(app)
    await signIn(app, owner, 'main')
    const first = await asThief(owner)
    const { json } = await onMainSite(app, first, 'POST', '/api/second-factor/totp')
    const second = await asThief(owner)
    app.clock.advance(60)
    await reauthenticate(app, second)
    const code = new Authenticator(app, json.secret).code()
    expect(outcome(await onMainSite(app, second, 'POST', '/api/second-factor/totp/confirm', { code }))).toBe(
      '200',
    )
    expect((await whatIsLeft(owner)).hasSecondFactor).toBe(true)
    expect(await notMe(owner)).toBe('204')
    expect(await whatIsLeft(owner)).toMatchObject({ totp: 0, codes: 0, hasSecondFactor: false })
  })

  it('security F5: removes what a thief added in a session before the reported one', async () => {
    const owner = await anOwner(app)
    await signIn(app, owner, 'main')
    await asThief(owner)
    app.clock.advance(60)
    await givePasskey(owner)
    app.clock.advance(60)
    // With that passkey, as its mail says; the owner follows this newest link.
    await mailAbout(owner, app.clock.now())
    expect(await notMe(owner)).toBe('204')
    expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [] })
  })

  slow(
    'a change that is undone reaches back to what could be reported when it was asked for, though confirmed later',
    async () => {
      const owner = await anOwner(app)
      await signIn(app, owner, 'main')
      await asThief(owner)
      app.clock.advance(60)
      await givePasskey(owner)
      app.clock.advance(7 * DAY - HOUR)
      // In a session about which nobody is mailed; the mail about the first is seven days old at the confirmation.
      const later = await asThief(owner)
      const email = anEmail()
      expect(outcome(await onMainSite(app, later, 'POST', '/api/email/change', { email }))).toBe('202')
      const token = await app.mailedToken(email)
      app.clock.advance(1.5 * HOUR)
      expect(outcome(await call('/api/email/confirm', { token, password: PASSWORD }))).toBe('204')
      app.clock.advance(3 * DAY)
      const undo = { token: await app.mailedToken(owner.email) }
      expect(outcome(await call('/api/email/undo', undo))).toBe('204')
      expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [] })
    },
  )

  it('security F14: keeps what the owner set up, after a mail that only reports use from elsewhere', async () => {
    const owner = await aProvenOwner(app)
    app.clock.advance(60)
    const kept = await givePasskey(owner)
    app.clock.advance(DAY)
    expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('200')
    app.clock.advance(60)
    const before = (await app.mailsTo(owner.email)).length
    const other = { Origin: MAIN, 'User-Agent': PHONE }
    expect(outcome(await refreshByCookie(app, owner.sessionId, other))).toBe('200')
    expect((await app.mailsTo(owner.email)).length).toBe(before + 1)
    const token = await app.mailedToken(owner.email)
    expect(outcome(await call('/api/sessions/not-me', { token }))).toBe('204')
    expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [kept], hasSecondFactor: true })
  })

  async function mailAbout({ id: userId, accountId }: User, createdAt: Date) {
    const client = { requestId: 'none', ip: '203.0.113.9', userAgent: PHONE, origin: MAIN }
    const session = { userId, accountId, sid: crypto.randomUUID(), createdAt }
    await app.get(AnomalyMails).send(session, client, data => newDeviceNotice(data, null), { always: true })
  }

  it('an undone change of address removes what was added since the session began that asked for it', async () => {
    const owner = await anOwner(app)
    const kept = await givePasskey(owner)
    app.clock.advance(HOUR)
    const thief = await provenSession(app, owner)
    app.clock.advance(60)
    const added = await givePasskey(owner)
    app.clock.advance(60)
    const { undo } = await changeAddress(owner, thief)
    await rememberDevice(owner)
    expect((await whatIsLeft(owner)).passkeys.sort()).toEqual([kept, added].sort())
    expect(outcome(await call('/api/email/undo', { token: undo }))).toBe('204')
    expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [kept], devices: 0, hasSecondFactor: true })
  })

  /** The session, refreshed, after the code of the app. */
  async function steppedUp(session: SignedIn, authenticator: Authenticator): Promise<SignedIn> {
    const later = await refreshed(session)
    const body = { code: authenticator.code() }
    expect(outcome(await onMainSite(app, later, 'POST', '/api/reauthenticate', body))).toBe('200')
    return later
  }

  async function refreshed(session: SignedIn): Promise<SignedIn> {
    const { accessToken } = (await refreshByCookie(app, session.sessionId)).json
    return { ...session, accessToken }
  }

  slow(
    'an undone change of address keeps what was set up before the second factor was used again, in the same session',
    async () => {
      const owner = await aProvenOwner(app)
      const { secret } = (await onMainSite(app, owner, 'POST', '/api/second-factor/totp')).json
      const authenticator = new Authenticator(app, secret)
      const first = { code: authenticator.code() }
      expect(outcome(await onMainSite(app, owner, 'POST', '/api/second-factor/totp/confirm', first))).toBe(
        '200',
      )
      const kept = await givePasskey(owner)
      app.clock.advance(20 * DAY)
      const later = await steppedUp(owner, authenticator)
      app.clock.advance(60)
      await givePasskey(owner)
      const { undo } = await changeAddress(owner, later)
      expect(outcome(await call('/api/email/undo', { token: undo }))).toBe('204')
      expect(await whatIsLeft(owner)).toMatchObject({ totp: 1, codes: 10, passkeys: [kept] })
    },
  )

  slow(
    'an undone change of address keeps what is newer than the session that only confirmed it',
    async () => {
      const owner = await anOwner(app)
      const [laptop, phone] = [await provenSession(app, owner), await provenSession(app, owner)]
      const authenticator = await giveAuthenticator(app, owner)
      await prove(app, phone, 'otp')
      app.clock.advance(5 * DAY)
      const kept = await givePasskey(owner)
      app.clock.advance(10 * DAY)
      const email = anEmail()
      const asking = await steppedUp(laptop, authenticator)
      expect(outcome(await onMainSite(app, asking, 'POST', '/api/email/change', { email }))).toBe('202')
      const body = { token: await app.mailedToken(email) }
      const confirming = await refreshed(phone)
      expect(outcome(await onMainSite(app, confirming, 'POST', '/api/email/confirm', body))).toBe('204')
      const undo = { token: await app.mailedToken(owner.email) }
      expect(outcome(await call('/api/email/undo', undo))).toBe('204')
      expect(await whatIsLeft(owner)).toMatchObject({ totp: 1, passkeys: [kept] })
    },
  )

  slow('reaches back to the first mail when an address change is undone days later', async () => {
    const owner = await anOwner(app)
    await signIn(app, owner, 'main')
    const kept = await givePasskey(owner)
    app.clock.advance(HOUR)
    await asThief(owner)
    app.clock.advance(60)
    await givePasskey(owner)
    app.clock.advance(60)
    // With that passkey, perhaps. The mails about the first session can be used for another four days, the undo link for six.
    app.clock.advance(3 * DAY)
    const { undo } = await changeAddress(owner, await asThief(owner))
    app.clock.advance(6 * DAY)
    expect(outcome(await call('/api/email/undo', { token: undo }))).toBe('204')
    expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [kept] })
  })

  slow('are removed likewise by a link for a new password that went to the earlier address', async () => {
    const owner = await anOwner(app)
    expect(outcome(await call('/api/password/forgot', { email: owner.email }))).toBe('202')
    const reset = await app.mailedToken(owner.email)
    const thief = await provenSession(app, owner)
    await givePasskey(owner)
    await changeAddress(owner, thief)
    const answer = await call('/api/password/reset', { token: reset, password: `${PASSWORD} again` })
    expect(outcome(answer)).toBe('200')
    expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [], hasSecondFactor: false })
  })

  it("an owner who is back keeps what they add then: mails to a thief's address reach back no longer", async () => {
    const owner = await anOwner(app)
    const { undo } = await changeAddress(owner, await provenSession(app, owner))
    await mailAbout(owner, app.clock.now())
    app.clock.advance(60)
    expect(outcome(await call('/api/email/undo', { token: undo }))).toBe('204')
    app.clock.advance(60)
    const kept = await givePasskey(owner)
    app.clock.advance(60)
    await mailAbout(owner, app.clock.now())
    expect(await notMe(owner)).toBe('204')
    expect(await whatIsLeft(owner)).toMatchObject({ passkeys: [kept] })
  })

  it('a new password removes none, forgets remembered devices, and ends logins that wait for a code', async () => {
    const owner = await anOwner(app)
    const authenticator = await giveAuthenticator(app, owner)
    await giveRecoveryCodes(app, owner)
    await rememberDevice(owner)
    const challenge = await aChallenge(app, owner)
    expect(outcome(await passwordFor(owner.email))).toBe('200 SECOND_FACTOR_REQUIRED')
    expect(await whatIsLeft(owner)).toMatchObject({ totp: 1, codes: 10, devices: 0, hasSecondFactor: true })
    expect(outcome(await secondStep(app, { challenge, code: authenticator.code() }))).toBe(
      '401 CHALLENGE_EXPIRED',
    )
    // Nor does the mailbox alone log in: the new password leads to the same question.
    const again = await call('/api/login', {
      email: owner.email,
      password: `${PASSWORD} again`,
      source: 'main',
    })
    expect(outcome(again)).toBe('401 SECOND_FACTOR_REQUIRED')
  })

  it('being disabled ends a login that waits for a code and forgets devices, but keeps factors', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const authenticator = await giveAuthenticator(app, member)
    await rememberDevice(member)
    const challenge = await aChallenge(app, member)
    await app.get(UserAdministration).disable(member)
    await app.get(UserAdministration).enable(member)
    expect(outcome(await secondStep(app, { challenge, code: authenticator.code() }))).toBe(
      '401 CHALLENGE_EXPIRED',
    )
    expect(await whatIsLeft(member)).toMatchObject({ totp: 1, devices: 0, hasSecondFactor: true })
  })
})
