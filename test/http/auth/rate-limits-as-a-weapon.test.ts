import { describe, expect, it } from '@jest/globals'
import { giveAuthenticator, giveRecoveryCodes } from '../../support/authenticator.js'
import { anEmail, anOwner, PASSWORD, type SignedIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'

const TOO_MANY = '429 TOO_MANY_ATTEMPTS'
const GUESS = 'A'.repeat(43)
const NEW_PASSWORD = 'seven quiet otters juggle'
const OWN = 3

let networks = 0
/** A network that no test has used, and no neighbour of it. */
function anIp(): string {
  networks++
  return `10.${networks >> 8}.${networks & 255}.7`
}

describe('Strangers who use up limits', () => {
  const app = anApp({
    ATTEMPTS_PER_ACCOUNT_AND_NETWORK: String(OWN),
    ATTEMPTS_PER_ACCOUNT: '6',
    ATTEMPTS_PER_NETWORK: '20',
    ATTEMPTS_PER_ORIGIN: '30',
    ATTEMPTS_TOTAL: '30',
    MAILS_PER_NETWORK: '8',
    MAILS_PER_ADDRESS: '6',
    TRUST_PROXY: '127.0.0.1',
  })

  const call = (path: string, body: object, ip: string, headers = {}) =>
    app.post(path, body, { Origin: MAIN, 'X-Forwarded-For': ip, ...headers })
  const logIn = (email: string, ip: string, password = PASSWORD) =>
    call('/api/login', { email, password, source: 'main' }, ip)
  const forgot = (email: string, ip: string) => call('/api/password/forgot', { email }, ip)
  const proof = ({ accessToken }: Pick<SignedIn, 'accessToken'>, ip: string, password = PASSWORD) =>
    call('/api/reauthenticate', { password }, ip, bearer(accessToken))

  async function attack(times: number, attempt: (ip: string) => Promise<unknown>): Promise<void> {
    for (let time = 0; time < times; time++) await attempt(anIp())
  }

  slow('do not close the mailed links of others', async () => {
    const { email } = await anOwner(app)
    expect(outcome(await forgot(email, anIp()))).toBe('202')
    const token = await app.mailedToken(email)
    const ip = anIp()
    for (let time = 0; time < 20; time++) await call('/api/email/confirm', { token: GUESS }, ip)
    const body = { token: GUESS, password: NEW_PASSWORD }
    expect(outcome(await call('/api/password/reset', body, ip))).toBe(TOO_MANY)
    expect(outcome(await call('/api/password/reset', { ...body, token }, ip))).toBe('200')
  })

  slow('do not keep a user from a link for a new password where they have logged in before', async () => {
    const { email } = await anOwner(app)
    const home = anIp()
    expect(outcome(await logIn(email, home))).toBe('200')
    await attack(6, ip => forgot(email, ip))
    expect(outcome(await forgot(email, anIp()))).toBe(TOO_MANY)
    expect(outcome(await forgot(email, home))).toBe('202')
  })

  it('do not lock out a user who has just chosen a new password by link', async () => {
    const { email } = await anOwner(app)
    await attack(8, ip => logIn(email, ip, 'wrong'))
    const hotel = anIp()
    expect(outcome(await logIn(email, hotel))).toBe(TOO_MANY)
    expect(outcome(await forgot(email, hotel))).toBe('202')
    const body = { token: await app.mailedToken(email), password: NEW_PASSWORD }
    expect(outcome(await call('/api/password/reset', body, hotel))).toBe('200')
    expect(outcome(await logIn(email, anIp(), NEW_PASSWORD))).toBe(TOO_MANY)
    expect(outcome(await logIn(email, hotel, NEW_PASSWORD))).toBe('200')
  })

  it('do not keep a live session from re-authenticating, wherever it is used', async () => {
    const { email } = await anOwner(app)
    const session = (await logIn(email, anIp())).json
    await attack(8, ip => logIn(email, ip, 'wrong'))
    expect(outcome(await logIn(email, anIp()))).toBe(TOO_MANY)
    expect(outcome(await proof(session, anIp()))).toBe('200')
  })

  slow('do not use up the guesses of a live session that re-authenticates correctly', async () => {
    const user = await anOwner(app)
    const session = (await logIn(user.email, anIp())).json
    await giveAuthenticator(app, user)
    const codes = await giveRecoveryCodes(app, user)
    await attack(8, ip => logIn(user.email, ip, 'wrong'))
    for (let time = 0; time < 2 * OWN; time++) expect(outcome(await proof(session, anIp()))).toBe('200')
    for (const recoveryCode of codes.slice(0, 2 * OWN))
      expect(
        outcome(await call('/api/reauthenticate', { recoveryCode }, anIp(), bearer(session.accessToken))),
      ).toBe('200')
    const outcomes: string[] = []
    await attack(OWN + 1, async ip => outcomes.push(outcome(await proof(session, ip, 'wrong'))))
    expect(outcomes).toEqual([...Array(OWN).fill('401 INVALID_CREDENTIALS'), TOO_MANY])
  })

  it('get no more guesses by a stolen session, from however many networks', async () => {
    const { email } = await anOwner(app)
    const session = (await logIn(email, anIp())).json
    const outcomes: string[] = []
    await attack(15, async ip => outcomes.push(outcome(await proof(session, ip, 'wrong'))))
    expect(outcomes.filter(what => what === '401 INVALID_CREDENTIALS')).toHaveLength(6 + OWN)
    expect(outcomes.at(-1)).toBe(TOO_MANY)
  })

  it('do not keep a newcomer from confirming the address', async () => {
    const email = anEmail()
    expect(outcome(await call('/api/signup', { email, password: PASSWORD }, anIp()))).toBe('202')
    const token = await app.mailedToken(email)
    await attack(8, ip => logIn(email, ip, 'wrong'))
    const body = { token, password: PASSWORD }
    expect(outcome(await call('/api/signup/verify', body, anIp()))).toBe('201')
  })

  it('security L2: are stopped after as many weak passwords as wrong ones, which nobody else notices', async () => {
    const ip = anIp()
    const signUp = (from: string) => call('/api/signup', { email: anEmail(), password: 'password123' }, from)
    for (let time = 0; time < 20; time++) expect(outcome(await signUp(ip))).toBe('400 WEAK_PASSWORD')
    expect(outcome(await signUp(ip))).toBe(TOO_MANY)
    expect(outcome(await signUp(anIp()))).toBe('400 WEAK_PASSWORD')
    // Who has a link is counted by that, wherever it is used.
    const { email } = await anOwner(app)
    await forgot(email, anIp())
    const body = { token: await app.mailedToken(email), password: 'password123' }
    expect(outcome(await call('/api/password/reset', body, ip))).toBe('400 WEAK_PASSWORD')
  })

  it('are not helped by weak passwords, which mail nothing', async () => {
    const email = anEmail()
    const ip = anIp()
    for (let time = 0; time < 5; time++)
      expect(outcome(await call('/api/signup', { email, password: 'password123' }, ip))).toBe(
        '400 WEAK_PASSWORD',
      )
    expect(outcome(await call('/api/signup', { email, password: PASSWORD }, ip))).toBe('202')
  })

  const site = (index: number) => `2001:db8:77:${index.toString(16)}::1`
  const twenty = (index: number) => `10.77.${index % 20}.7`
  slow.each([
    ['one IPv6 /48', site],
    ['twenty addresses', twenty],
  ])('security H3: change nothing for anybody else with a thousand requests from %s', async (_, ipOf) => {
    const owner = await anOwner(app)
    const newcomer = await anOwner(app)
    const forgetful = await anOwner(app)
    const home = anIp()
    const session = await signInFrom(home, owner.email)
    await proof(session, home)
    const mail = (ip: string) => forgot(anEmail(), ip)
    const link = (ip: string) => call('/api/email/confirm', { token: GUESS }, ip)
    const hostile = [
      ...[mail, link, mail, link, mail, link, mail, link],
      (ip: string) => call('/api/signup', { email: anEmail(), password: PASSWORD }, ip),
      (ip: string) => logIn(anEmail(), ip, 'wrong'),
    ]
    for (let sent = 0; sent < 1_000; sent += 40)
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          hostile[index % 10]?.(ipOf(Math.floor((sent + index) / 10))),
        ),
      )

    const asOwner = { ...bearer(session.accessToken), Cookie: `sessionId=${session.sessionId}` }
    // Even from where the thousand came from: who is logged in is counted by what they are, not by where.
    for (const ip of [home, ipOf(3)]) {
      const invited = await call('/api/team/invitations', { email: anEmail() }, ip, asOwner)
      expect(outcome(invited)).toBe('201')
    }
    expect(outcome(await call('/api/email/change', { email: anEmail() }, home, asOwner))).toBe('202')
    expect(outcome(await call('/api/signup', { email: anEmail(), password: PASSWORD }, anIp()))).toBe('202')
    expect(outcome(await forgot(forgetful.email, anIp()))).toBe('202')
    expect(outcome(await logIn(newcomer.email, anIp()))).toBe('200')
    expect(outcome(await logIn(owner.email, home))).toBe('200')
    // They themselves are stopped.
    expect(outcome(await forgot(anEmail(), ipOf(4)))).toBe(TOO_MANY)
  })

  async function signInFrom(ip: string, email: string): Promise<SignedIn> {
    const answer = await logIn(email, ip)
    const { accessToken } = answer.json
    return { accessToken, sessionId: /sessionId=([^;]*)/.exec(answer.setCookies[0] ?? '')?.[1] ?? '', answer }
  }
})
