import { describe, expect, it } from '@jest/globals'
import { AuditLog, permissionsOf, UserAdministration } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { aMember, anEmail, anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { bearer, logOut, outcome } from '../support/api-calls.js'
import { reauthenticate } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

describe('The own login history', () => {
  const app = anApp()

  function history({ accessToken }: SignedIn, query = '', origin = MAIN): Promise<TestResponse> {
    return app.request({ path: `/api/logins${query}`, headers: { Origin: origin, ...bearer(accessToken) } })
  }

  async function failToLogIn(email: string): Promise<void> {
    await sendLogin(
      app,
      { email },
      { source: 'satellite', password: 'wrong', Origin: SHOP_TWO, 'User-Agent': SAFARI },
    )
    await app.get(AuditLog).flush()
  }

  it('has logins and failed logins of all sites, newest first, and nothing else', async () => {
    const owner = await anOwner(app)
    const satellite = await signIn(app, owner, 'satellite')
    await failToLogIn(owner.email)
    await logOut(app, (await signIn(app, owner, 'main')).accessToken)
    const main = await signIn(app, owner, 'main')
    const { json } = await history(main)
    expect(json).toEqual({
      complete: true,
      logins: [
        expect.objectContaining({ outcome: 'ok', source: 'main', sid: claimsOf(main.accessToken).sid }),
        expect.objectContaining({ outcome: 'ok', source: 'main', origin: MAIN }),
        expect.objectContaining({
          outcome: 'failed',
          origin: SHOP_TWO,
          device: 'Safari on iPhone',
          sid: null,
        }),
        {
          at: expect.stringMatching(/^\d{4}-.*Z$/),
          outcome: 'ok',
          source: 'satellite',
          origin: SHOP_ONE,
          ip: '127.0.0.1',
          device: 'Unknown device',
          sid: claimsOf(satellite.accessToken).sid,
        },
      ],
      next: null,
    })
  })

  it('is there on a satellite, and for a member without any permission', async () => {
    const member = await aMember(app, await anOwner(app))
    await app.get(UserAdministration).grant(member, permissionsOf([]))
    const { status, json } = await history(await signIn(app, member, 'satellite'), '', SHOP_ONE)
    expect({ status, count: json.logins.length }).toEqual({ status: 200, count: 1 })
  })

  it('security M3: on a satellite has the logins of that site alone, until the password is given again', async () => {
    const owner = await anOwner(app)
    await signIn(app, owner, 'main')
    await signIn(app, owner, 'satellite', SHOP_TWO)
    await failToLogIn(owner.email)
    const satellite = await signIn(app, owner, 'satellite')
    const confined = (await history(satellite, '', SHOP_ONE)).json
    expect(confined).toMatchObject({ complete: false, next: null })
    expect(confined.logins.map(({ origin }: { origin: string }) => origin)).toEqual([SHOP_ONE])
    await reauthenticate(app, satellite, undefined, { Origin: SHOP_ONE })
    const whole = (await history(satellite, '', SHOP_ONE)).json
    expect([whole.complete, whole.logins.length]).toEqual([true, 4])
  })

  it('has nothing of others, not even in the same account, nor of nobody', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    for (const email of [member.email, anEmail()]) await failToLogIn(email)
    await signIn(app, member, 'main')
    const { json } = await history(await signIn(app, owner, 'main'))
    expect(json.logins).toHaveLength(1)
  })

  it('comes in pages, each login once, though there are new ones meanwhile', async () => {
    const owner = await anOwner(app)
    for (let login = 0; login < 4; login += 1) await signIn(app, owner, 'satellite')
    const signedIn = await signIn(app, owner, 'main')
    const whole = (await history(signedIn)).json.logins
    expect(whole).toHaveLength(5)
    const seen: unknown[] = []
    let next: string | null = ''
    while (next !== null) {
      const { json } = await history(signedIn, `?limit=2${next && `&after=${next}`}`)
      seen.push(...json.logins)
      next = json.next
      await signIn(app, owner, 'satellite')
    }
    expect(seen).toEqual(whole)
  })

  it.each([
    ['limit', '?limit=201'],
    ['after', '?after=1'],
    ['user', '?user=00000000-0000-4000-8000-000000000000'],
  ])('refuses a wrong %s: %s', async (field, query) => {
    const answer = await history(await signIn(app, await anOwner(app), 'main'), query)
    expect(outcome(answer)).toBe('400 INVALID_QUERY')
    expect(answer.json.errors).toMatchObject([{ field }])
  })

  it('is not for a session that has ended, though its token is valid', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    await logOut(app, signedIn.accessToken)
    expect(outcome(await history(signedIn))).toBe('401 SESSION_NOT_FOUND')
  })
})
