import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { anEmail, anOwner, PASSWORD, type SignedIn } from '../support/people.js'
import { BACKENDS, MAIN, TestApp } from '../support/test-app.js'
import { bearer, outcome } from './api-calls.js'

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

describe.each(BACKENDS)('Strangers who use up limits, on %s,', backend => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start(backend, {
      ATTEMPTS_PER_ACCOUNT_AND_NETWORK: String(OWN),
      ATTEMPTS_PER_ACCOUNT: '6',
      ATTEMPTS_PER_ORIGIN: '40',
      MAILS_PER_ADDRESS: '6',
      TRUST_PROXY: '127.0.0.1',
      LOG_LEVEL: 'silent',
    })
  })
  afterAll(() => app.stop())

  const call = (path: string, body: object, ip: string, headers = {}) =>
    app.request({
      method: 'POST',
      path,
      headers: { Origin: MAIN, 'X-Forwarded-For': ip, ...headers },
      body,
      timeoutMs: 30_000,
    })
  const logIn = (email: string, ip: string, password = PASSWORD) =>
    call('/api/login', { email, password, source: 'main' }, ip)
  const forgot = (email: string, ip: string) => call('/api/password/forgot', { email }, ip)
  const proof = ({ accessToken }: Pick<SignedIn, 'accessToken'>, ip: string, password = PASSWORD) =>
    call('/api/reauthenticate', { password }, ip, bearer(accessToken))

  async function attack(times: number, attempt: (ip: string) => Promise<unknown>): Promise<void> {
    for (let time = 0; time < times; time++) await attempt(anIp())
  }

  it('do not close the mailed links of others', async () => {
    const { email } = await anOwner(app)
    expect(outcome(await forgot(email, anIp()))).toBe('202')
    const token = await app.mailedToken(email)
    await attack(40, ip => call('/api/email/confirm', { token: GUESS }, ip))
    const body = { token: GUESS, password: NEW_PASSWORD }
    expect(outcome(await call('/api/password/reset', body, anIp()))).toBe(TOO_MANY)
    expect(outcome(await call('/api/password/reset', { ...body, token }, anIp()))).toBe('204')
  })

  it('do not keep a user from a link for a new password where they have logged in before', async () => {
    const { email } = await anOwner(app)
    const home = anIp()
    expect(outcome(await logIn(email, home))).toBe('200')
    await attack(6, ip => forgot(email, ip))
    expect(outcome(await forgot(email, anIp()))).toBe(TOO_MANY)
    expect(outcome(await forgot(email, home))).toBe('202')
  })

  it('do not keep a live session from proving who is there, wherever it is used', async () => {
    const { email } = await anOwner(app)
    const session = (await logIn(email, anIp())).json
    await attack(8, ip => logIn(email, ip, 'wrong'))
    expect(outcome(await logIn(email, anIp()))).toBe(TOO_MANY)
    expect(outcome(await proof(session, anIp()))).toBe('200')
  })

  it('have no more guesses by a session that they stole, from however many networks', async () => {
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

  it('are not helped by weak passwords, which mail nothing', async () => {
    const email = anEmail()
    const ip = anIp()
    for (let time = 0; time < 5; time++)
      expect(outcome(await call('/api/signup', { email, password: 'password123' }, ip))).toBe(
        '400 WEAK_PASSWORD',
      )
    expect(outcome(await call('/api/signup', { email, password: PASSWORD }, ip))).toBe('202')
  })
})
