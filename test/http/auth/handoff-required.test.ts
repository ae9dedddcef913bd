import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { Passwords, Satellites, type User, UserAdministration, Users } from '../../sources.js'
import { giveTotp } from '../../support/factors.js'
import {
  aMember,
  anEmail,
  anOwner,
  PASSWORD,
  type SignedIn,
  sendLogin,
  signIn,
} from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome, refreshByHeader } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { onMainSite, reauthenticate } from '../support/reauthenticate.js'

const REQUIRED = '403 HANDOFF_REQUIRED'
const WRONG = '401 INVALID_CREDENTIALS'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'
const WRONG_PASSWORD = 'somebody else’s password'

const app = anApp({ ANOMALY_POLICY: 'revoke:60', TRUST_PROXY: '127.0.0.1' })

const newOrigin = () => `https://shop-${randomUUID().slice(0, 8)}.test`

async function logIn(
  email: string,
  origin: string | null,
  password = PASSWORD,
  from: Record<string, string> = {},
): Promise<string> {
  return outcome(
    await sendLogin(app, { email }, { source: 'satellite', password, Origin: origin ?? [], ...from }),
  )
}

/** An account with a satellite, whose owner and member have not logged in anywhere. */
async function anAccount(change: Parameters<typeof aSatellite>[3] = {}) {
  const owner = await anOwner(app)
  const origin = newOrigin()
  await aSatellite(app, owner, origin, change)
  return { owner, member: await aMember(app, owner), origin }
}

async function requireHandoffs(owner: SignedIn, handoffRequired: string): Promise<void> {
  if (handoffRequired !== 'everyone') await reauthenticate(app, owner)
  const answer = await onMainSite(app, owner, 'PATCH', '/api/account', { handoffRequired })
  expect(answer.json.handoffRequired).toBe(handoffRequired)
  await app.get(Satellites).refresh()
}
afterEach(() => {
  jest.restoreAllMocks()
})

describe('a satellite where people log in by hand-off alone', () => {
  it('refuses every password before it looks at it, or at whose it is', async () => {
    const { owner, member, origin } = await anAccount({ loginMode: 'handoff' })
    await app.get(UserAdministration).disable(member)
    const looks = [jest.spyOn(app.get(Users), 'findByEmail'), jest.spyOn(app.get(Passwords), 'verify')]
    for (const email of [owner.email, member.email, anEmail()])
      for (const password of [PASSWORD, WRONG_PASSWORD])
        expect(await logIn(email, origin, password)).toBe(REQUIRED)
    for (const look of looks) expect(look).not.toHaveBeenCalled()
  })

  it('counts no guess, so that its page cannot lock anybody out', async () => {
    const { owner, member, origin } = await anAccount({ loginMode: 'handoff' })
    for (let i = 0; i < 15; i++) expect(await logIn(owner.email, origin, WRONG_PASSWORD)).toBe(REQUIRED)
    expect((await signIn(app, owner, 'main')).answer.status).toBe(200)
    expect(await logIn(member.email, SHOP_ONE)).toBe('200')
  })

  it('takes no password for a re-authentication or a new password either', async () => {
    const { owner, origin } = await anAccount({ loginMode: 'handoff' })
    const main = await signIn(app, owner, 'main')
    const child = await handOff(app, main, origin)
    expect(outcome(await reauthenticate(app, main))).toBe('200')
    const passwords = { currentPassword: PASSWORD, password: 'quite another password indeed' }
    // Its server may pass on, without an Origin, what was typed there.
    for (const headers of [{ Origin: origin }, {}, { Origin: SHOP_ONE }] as Record<string, string>[]) {
      expect(outcome(await reauthenticate(app, child, PASSWORD, headers))).toBe(REQUIRED)
      const from = { ...headers, ...bearer(child.accessToken) }
      expect(outcome(await app.post('/api/password/change', passwords, from))).toBe(REQUIRED)
    }
  })

  it('says in the profile that the password cannot be changed there, nor through its server', async () => {
    const { owner, origin } = await anAccount({ loginMode: 'handoff' })
    const main = await signIn(app, owner, 'main')
    const child = await handOff(app, main, origin)
    const mayChange = async ({ accessToken }: SignedIn, headers: Record<string, string>) =>
      (await app.request({ path: '/api/profile', headers: { ...headers, ...bearer(accessToken) } })).json
        .mayChangePassword
    expect(await mayChange(main, { Origin: MAIN })).toBe(true)
    for (const headers of [{ Origin: origin }, { Origin: SHOP_ONE }, {}] as Record<string, string>[])
      expect(await mayChange(child, headers)).toBe(false)
    // A session of an app, used by a page of this satellite.
    const inApp = await sendLogin(app, owner, { source: 'satellite', Origin: [] })
    expect(await mayChange(inApp.json, {})).toBe(true)
    expect(await mayChange(inApp.json, { Origin: origin })).toBe(false)
  })

  it('leaves apps, other sites and mailed links as they are', async () => {
    const { owner, member, origin } = await anAccount({ loginMode: 'handoff' })
    expect(await logIn(member.email, null)).toBe('200')
    expect(await logIn(member.email, SHOP_ONE)).toBe('200')
    const headers = { Origin: origin }
    const pretending = await sendLogin(app, owner, headers)
    expect(outcome(pretending)).toBe('403 MAIN_ORIGIN_REQUIRED')
    await mailResetLink(app, member)
    const token = await app.mailedToken(member.email)
    const body = { token, password: 'quite another password indeed' }
    expect(outcome(await app.post('/api/password/reset', body, headers))).toMatch(/^20/)
  })
})

describe('an account', () => {
  it('requires hand-offs of everybody: on its own satellites before any look, on listed ones after the right password', async () => {
    const { owner, member, origin } = await anAccount()
    const stranger = await anAccount()
    const main = await signIn(app, owner, 'main')
    const before = await signIn(app, member, 'satellite', origin)
    await requireHandoffs(main, 'everyone')
    await signIn(app, member, 'main')
    const look = jest.spyOn(app.get(Users), 'findByEmail')
    expect(await logIn(member.email, origin)).toBe(REQUIRED)
    expect(await logIn(anEmail(), origin)).toBe(REQUIRED)
    expect(look).not.toHaveBeenCalled()
    expect(await logIn(member.email, SHOP_ONE)).toBe(REQUIRED)
    expect(await logIn(owner.email, SHOP_ONE)).toBe(REQUIRED)
    for (const email of [member.email, anEmail()])
      expect(await logIn(email, SHOP_ONE, WRONG_PASSWORD)).toBe(WRONG)
    // Neither those who are logged in, nor apps, nor other accounts.
    expect(outcome(await refreshByHeader(app, before.sessionId, { Origin: origin }))).toBe('200')
    expect(await logIn(member.email, null)).toBe('200')
    expect(await logIn(stranger.member.email, stranger.origin)).toBe('200')
    expect(await logIn(stranger.member.email, SHOP_ONE)).toBe('200')
    await handOff(app, main, origin)
    await handOff(app, main, SHOP_ONE)
    await requireHandoffs(main, 'none')
    expect(await logIn(member.email, origin)).toBe('200')
  })

  it('lets its owner be handed off also to a satellite that takes passwords only', async () => {
    const { owner, member, origin } = await anAccount({ loginMode: 'password' })
    const [main, members] = [await signIn(app, owner, 'main'), await signIn(app, member, 'main')]
    await expect(handOff(app, main, origin)).rejects.toThrow('403')
    await requireHandoffs(main, 'owners')
    expect(await logIn(owner.email, origin)).toBe(REQUIRED)
    await handOff(app, main, origin)
    await expect(handOff(app, members, origin)).rejects.toThrow('403')
  })

  slow('requires hand-offs of its owner alone, who learns it after the right password', async () => {
    const { owner, member, origin } = await anAccount()
    await requireHandoffs(await signIn(app, owner, 'main'), 'owners')
    for (const site of [origin, SHOP_ONE]) {
      expect(await logIn(owner.email, site)).toBe(REQUIRED)
      expect(await logIn(owner.email, site, WRONG_PASSWORD)).toBe(WRONG)
      expect(await logIn(member.email, site)).toBe('200')
    }
  })

  slow('answers a right password no more quietly than a login would', async () => {
    const { owner } = await anAccount()
    await requireHandoffs(await signIn(app, owner, 'main'), 'owners')
    const elsewhere = { 'X-Forwarded-For': '198.51.100.7' }
    const subjects = async () => (await app.mailsTo(owner.email)).map(({ subject }) => subject)
    expect(await logIn(owner.email, SHOP_ONE)).toBe(REQUIRED)
    expect(await subjects()).toEqual([])
    // A kind of device that is new, and so it stays.
    for (let i = 1; i <= 2; i++) {
      expect(await logIn(owner.email, SHOP_ONE, PASSWORD, { 'User-Agent': PHONE })).toBe(REQUIRED)
      expect(await subjects()).toEqual(Array(i).fill('Login refused at shop-one.test: Safari on iPhone'))
    }
    expect((await app.mailsTo(owner.email))[0]?.text).toContain('you can log in only through our main site')
    // Too unusual: not even that the password is right.
    const unusual = { ...elsewhere, 'User-Agent': PHONE }
    expect(await logIn(owner.email, SHOP_ONE, PASSWORD, unusual)).toBe(WRONG)
    expect(await subjects()).toHaveLength(3)
  })

  slow('counts the right password of its owner as no wrong guess', async () => {
    const { owner } = await anAccount()
    await requireHandoffs(await signIn(app, owner, 'main'), 'owners')
    const { perAccountAndNetwork } = app.settings.rateLimits
    for (let i = 0; i <= perAccountAndNetwork; i++) expect(await logIn(owner.email, SHOP_ONE)).toBe(REQUIRED)
  })

  it('overrules a satellite of its own that takes passwords only', async () => {
    const { owner, member, origin } = await anAccount({ loginMode: 'password' })
    const main = await signIn(app, owner, 'main')
    await expect(handOff(app, main, origin)).rejects.toThrow('HANDOFF_DISABLED')
    await requireHandoffs(main, 'everyone')
    expect(await logIn(member.email, origin)).toBe(REQUIRED)
    await handOff(app, main, origin)
  })

  it('has it so on a satellite that it adds later, too', async () => {
    const owner = await anOwner(app)
    await requireHandoffs(await signIn(app, owner, 'main'), 'everyone')
    const origin = newOrigin()
    await aSatellite(app, owner, origin)
    expect(await logIn(owner.email, origin)).toBe(REQUIRED)
  })
})

describe('a user with a second factor', () => {
  const hasFactor = (user: Pick<User, 'id'>) => giveTotp(app, user)

  it('is not asked for it by a satellite, but sent on: after the right password alone', async () => {
    const { member, origin } = await anAccount({ loginMode: 'password' })
    await hasFactor(member)
    expect(await logIn(member.email, origin, WRONG_PASSWORD)).toBe(WRONG)
    expect(await logIn(member.email, origin)).toBe(REQUIRED)
    expect(await logIn(member.email, SHOP_ONE)).toBe(REQUIRED)
    expect(await logIn(member.email, SHOP_ONE)).toBe(REQUIRED)
  })

  it('is handed off to a satellite that takes passwords from everybody else', async () => {
    const { owner, member, origin } = await anAccount({ loginMode: 'password' })
    const [ofOwner, ofMember] = [await signIn(app, owner, 'main'), await signIn(app, member, 'main')]
    await hasFactor(member)
    await handOff(app, ofMember, origin)
    await expect(handOff(app, ofOwner, origin)).rejects.toThrow('HANDOFF_DISABLED')
  })

  it('is asked for it where the satellite is set so, on the main site and in apps', async () => {
    const { member, origin } = await anAccount({ secondFactor: 'allowed' })
    await hasFactor(member)
    for (const place of [origin, MAIN, null])
      expect(await logIn(member.email, place)).toBe('401 SECOND_FACTOR_REQUIRED')
  })

  slow('a right password, where that is not enough, forgives no wrong guess', async () => {
    const { member, origin } = await anAccount()
    await hasFactor(member)
    const { perAccountAndNetwork } = app.settings.rateLimits
    const ways = [() => logIn(member.email, origin), () => logIn(member.email, MAIN)]
    for (let wrong = 0; wrong < perAccountAndNetwork; wrong++) {
      for (const way of ways) expect(await way()).not.toBe(WRONG)
      expect(await logIn(member.email, MAIN, WRONG_PASSWORD)).toBe(WRONG)
    }
    for (const way of ways) expect(await way()).toBe('429 TOO_MANY_ATTEMPTS')
  })
})

slow('owners who may not type their password on satellites can be handed off to them', async () => {
  const barring = await TestApp.start({ OWNERS_ON_SATELLITES: 'barred' })
  try {
    const owner = await anOwner(barring)
    const main = await signIn(barring, owner, 'main')
    const child = await handOff(barring, main, SHOP_ONE)
    const again = await reauthenticate(barring, child, PASSWORD, { Origin: SHOP_ONE })
    expect(outcome(again)).toBe('403 OWNER_LOGIN_BARRED')
    // Its server may say that it is the main site.
    const pretending = await reauthenticate(barring, child, PASSWORD, { Origin: MAIN })
    expect(outcome(pretending)).toBe('403 OWNER_LOGIN_BARRED')
    expect(outcome(await refreshByHeader(barring, child.sessionId))).toBe('200')
  } finally {
    await barring.stop()
  }
})
