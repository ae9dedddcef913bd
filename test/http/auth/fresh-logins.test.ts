import { describe, expect, it } from '@jest/globals'
import { giveAuthenticator, secondStep } from '../../support/authenticator.js'
import type { TestResponse } from '../../support/http-request.js'
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
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { bearer, outcome, refreshByCookie } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { addPasskey, passkeySession } from '../support/passkey-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'

const TEN_MINUTES = 600
const ASKED = '401 REAUTHENTICATION_REQUIRED'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'

describe('A login on the main site is a re-authentication too', () => {
  const app = anApp({ PASSKEY_RP_ID: 'main.test', TRUST_PROXY: '127.0.0.1' })

  /** Something that asks for a proof. */
  const exported = (session: Pick<SignedIn, 'accessToken' | 'sessionId'>) =>
    onMainSite(app, session, 'GET', '/api/profile/export').then(outcome)

  const sessionIn = (answer: TestResponse) => ({
    accessToken: answer.json.accessToken as string,
    sessionId: /^sessionId=([^;]*)/m.exec(answer.setCookies.join('\n'))?.[1] ?? '',
  })

  async function logIn(email: string, headers: Record<string, string> = {}) {
    return sendLogin(app, { email }, headers)
  }

  it('for ten minutes, which no refresh prolongs', async () => {
    const session = sessionIn(await logIn((await anOwner(app)).email))
    expect(await exported(session)).toBe('200')
    app.clock.advance(TEN_MINUTES - 5)
    const { json } = await refreshByCookie(app, session.sessionId)
    const refreshed = { ...session, accessToken: json.accessToken }
    expect(await exported(refreshed)).toBe('200')
    app.clock.advance(5)
    expect(await exported(refreshed)).toBe(ASKED)
    const again = await refreshByCookie(app, session.sessionId)
    expect(await exported({ ...session, accessToken: again.json.accessToken })).toBe(ASKED)
  })

  it('without an Origin too, but not with source satellite, wherever that comes from', async () => {
    const { email } = await anOwner(app)
    const inTerminal = await sendLogin(app, { email })
    expect(await exported(sessionIn(inTerminal))).toBe('200')
    for (const origin of [SHOP_ONE, MAIN]) {
      const { accessToken } = await signIn(app, { email }, 'satellite', origin)
      const headers = { Origin: origin, ...bearer(accessToken) }
      expect(outcome(await app.request({ path: '/api/profile/export', headers }))).toBe(ASKED)
    }
  })

  it('is not handed on to a satellite', async () => {
    const session = await signIn(app, await aMember(app, await anOwner(app)), 'main')
    const { accessToken } = await handOff(app, session, SHOP_ONE)
    const headers = { Origin: SHOP_ONE, ...bearer(accessToken) }
    expect(outcome(await app.request({ path: '/api/profile/export', headers }))).toBe(ASKED)
    expect(await exported(session)).toBe('200')
  })

  it('with a passkey, and with a second factor', async () => {
    const owner = await anOwner(app)
    const { authenticator } = await addPasskey(app, await provenSession(app, owner))
    expect(await exported(await passkeySession(app, authenticator))).toBe('200')
    const other = await anOwner(app)
    const totp = await giveAuthenticator(app, other)
    const { challenge } = (await logIn(other.email)).json
    const answer = await secondStep(app, { challenge, code: totp.code() })
    expect(await exported(sessionIn(answer))).toBe('200')
  })

  it('but not without the second factor where a remembered browser stood in for it', async () => {
    const owner = await anOwner(app)
    const totp = await giveAuthenticator(app, owner)
    const { challenge } = (await logIn(owner.email)).json
    const step = await secondStep(app, { challenge, code: totp.code(), rememberDevice: true })
    const [remembered = ''] = /__Host-remembered-device=[^;]+/.exec(step.setCookies.join('\n')) ?? []
    const answer = await logIn(owner.email, { Cookie: remembered })
    expect(await exported(sessionIn(answer))).toBe('401 STEP_UP_REQUIRED')
  })

  it('unless it is so unusual that the settings void re-authentications', async () => {
    const { email } = await anOwner(app)
    const at = (ip: string, agent?: string) =>
      logIn(email, { 'X-Forwarded-For': ip, ...(agent && { 'User-Agent': agent }) })
    await at('198.51.100.7')
    // Another network alone is not that unusual.
    expect(await exported(sessionIn(await at('203.0.113.9')))).toBe('200')
    const answer = await at('192.0.2.77', IPHONE)
    expect(outcome(answer)).toBe('200')
    expect(await exported(sessionIn(answer))).toBe(ASKED)
  })

  it('by a link for a new password as well: its holder has just chosen what would be asked for', async () => {
    const owner = await anOwner(app)
    await mailResetLink(app, owner)
    const body = { token: await app.mailedToken(owner.email), password: 'seven quiet otters juggle' }
    const session = sessionIn(await app.post('/api/password/reset', body, { Origin: MAIN }))
    expect(await exported(session)).toBe('200')
    app.clock.advance(TEN_MINUTES)
    expect(await exported(session)).toBe(ASKED)
  })

  it('so that the first factor is set up right after a sign-up without the password again', async () => {
    const email = anEmail()
    await app.post('/api/signup', { email, password: PASSWORD }, { Origin: MAIN })
    const body = { token: await app.mailedToken(email), password: PASSWORD }
    const session = sessionIn(await app.post('/api/signup/verify', body, { Origin: MAIN }))
    expect(outcome(await onMainSite(app, session, 'POST', '/api/second-factor/totp'))).toBe('201')
  })
})
