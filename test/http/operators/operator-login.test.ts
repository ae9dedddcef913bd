import { beforeAll, describe, expect, it, jest } from '@jest/globals'
import { type Email, handlersOf, Operators, openApiDocument, operatorSessions } from '../../sources.js'
import { anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer } from '../support/api-calls.js'
import { CONSOLE, CONSOLE_HOST, ConsoleUser, startWithConsole, withConsole } from './console-calls.js'

describe('operator console: login', () => {
  const app = anApp(withConsole())

  it('takes address, password and code at once, and gives a cookie for this host alone', async () => {
    const operator = await ConsoleUser.add(app)
    const answer = await operator.logIn()
    expect(answer.status).toBe(204)
    expect(answer.setCookies).toHaveLength(1)
    expect(answer.setCookies[0]).toMatch(
      /^__Host-operator=[0-9a-f-]{36}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const me = await operator.get('me')
    expect(me.json).toMatchObject({ id: operator.id, email: operator.email })
    expect(await rowsOf('operator.login')).toContainEqual(
      expect.objectContaining({ outcome: 'ok', accountId: null, detail: { operator: operator.id } }),
    )
  })

  it.each([
    ['a wrong password', { password: 'not the password' }],
    ['a wrong code', { code: '000000' }],
    ['an address without an operator', { email: 'nobody@example.com' }],
  ])('%s is refused in the same words, and recorded', async (_, wrong) => {
    const operator = await ConsoleUser.add(app)
    const code = operator.authenticator.wrongCode()
    const answer = await operator.logIn('code' in wrong ? { code } : wrong)
    expect(answer.status).toBe(401)
    expect(answer.json).toMatchObject({ code: 'INVALID_CREDENTIALS' })
    expect(answer.setCookies).toEqual([])
    const [row] = (await rowsOf('operator.login')).filter(({ outcome }) => outcome === 'failed').slice(-1)
    expect(row?.detail).toHaveProperty('reason')
  })

  it('a code counts once, also for ten logins at the same moment', async () => {
    const operator = await ConsoleUser.add(app)
    const code = operator.authenticator.code()
    const answers = await Promise.all(Array.from({ length: 10 }, () => operator.logIn({ code })))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect((await operator.logIn({ code })).status).toBe(401)
  })

  it('a wrong password does not use the code up', async () => {
    const operator = await ConsoleUser.add(app)
    const code = operator.authenticator.code()
    await operator.logIn({ code, password: 'not the password' })
    expect((await operator.logIn({ code })).status).toBe(204)
  })

  it('ends after 8 hours, however much it is used', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    app.clock.advance(8 * 60 * 60 - 1)
    expect((await operator.get('me')).status).toBe(200)
    app.clock.advance(2)
    expect((await operator.get('me')).status).toBe(401)
  })

  it('ends by the logout, whose cookie is gone, and cannot be used again', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    const answer = await operator.post('logout', {})
    expect(answer.status).toBe(204)
    expect(answer.setCookies[0]).toMatch(/^__Host-operator=; .*Expires=Thu, 01 Jan 1970/)
    expect((await operator.get('me')).json).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('ends by a logout in another browser, because there is no list of sessions to end a thief’s in', async () => {
    const [operator, other] = [await ConsoleUser.loggedIn(app), await ConsoleUser.loggedIn(app)]
    const thief = { headers: { Cookie: operator.cookie } }
    app.clock.advance(30)
    await operator.logIn()
    expect((await operator.get('me', thief)).status).toBe(200)
    await operator.post('logout', {})
    expect((await operator.get('me', thief)).status).toBe(401)
    expect((await other.get('me')).status).toBe(200)
  })

  it('a disabled operator is out at once, and cannot come back', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    await app.get(Operators).disable(operator.email as Email)
    expect((await operator.get('me')).status).toBe(401)
    app.clock.advance(30)
    expect((await operator.logIn()).status).toBe(401)
  })

  it('gives a returning operator a new password, a new secret and no old session', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    await app.get(Operators).disable(operator.email as Email)
    const again = await app.get(Operators).add(operator.email as Email, 'another long password')
    expect(again.id).toBe(operator.id)
    expect((await operator.get('me')).status).toBe(401)
    app.clock.advance(60)
    expect((await operator.logIn({ password: 'another long password' })).status).toBe(401)
  })

  it('gives a returning operator nothing that a login left behind at the end', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    const sessions = () => app.database.run(db => db.select().from(operatorSessions))
    const late = (await sessions()).find(({ operatorId }) => operatorId === operator.id)
    await app.get(Operators).disable(operator.email as Email)
    await app.database.run(db => db.insert(operatorSessions).values(late as never))
    await app.get(Operators).add(operator.email as Email, 'another long password')
    expect((await operator.get('me')).status).toBe(401)
    expect((await sessions()).filter(({ operatorId }) => operatorId === operator.id)).toEqual([])
  })

  it('a login that was outrun by the end opens nothing, though they have come back', async () => {
    const operator = await ConsoleUser.add(app)
    const operators = app.get(Operators)
    const useCode = operators.useCode.bind(operators)
    jest.spyOn(operators, 'useCode').mockImplementation(async (...proof) => {
      const isRight = await useCode(...proof)
      await operators.disable(operator.email as Email)
      await operators.add(operator.email as Email, 'another long password')
      return isRight
    })
    try {
      expect((await operator.logIn()).json).toMatchObject({ code: 'INVALID_CREDENTIALS' })
    } finally {
      jest.restoreAllMocks()
    }
    const left = await app.database.run(db => db.select().from(operatorSessions))
    expect(left.filter(({ operatorId }) => operatorId === operator.id)).toEqual([])
  })

  async function rowsOf(action: string) {
    return app.auditRows({ action })
  }
})

describe('operator console: who reaches it', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser
  beforeAll(async () => {
    operator = await ConsoleUser.loggedIn(app)
  })

  const routes = () => handlersOf(app.app).filter(({ path }) => path.startsWith('/api/operator'))

  it('is no part of the API reference, which is there all the same (P1)', () => {
    const { paths } = openApiDocument(app.app, app.url)
    expect(Object.keys(paths)).toContain('/api/login')
    expect(Object.keys(paths).filter(path => path.startsWith('/api/operator'))).toEqual([])
  })

  it('answers every route with “not found” at another host, even with the cookie of an operator', async () => {
    expect(routes().length).toBeGreaterThan(15)
    const answers = await Promise.all(
      routes().map(({ method, path }) =>
        app.request({ method, path, headers: { Cookie: operator.cookie, Origin: [] } }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    for (const path of ['users', 'accounts'])
      expect((await app.request({ path: `/api/operator/${path}/${'x'.repeat(101)}` })).status).toBe(404)
  })

  it('no route but the login answers without a login', async () => {
    const closed = routes().filter(({ path }) => !path.startsWith('/api/operator/login'))
    const answers = await Promise.all(
      closed.map(({ method, path }) =>
        app.request({ method, path, headers: { Host: CONSOLE_HOST, Origin: CONSOLE } }),
      ),
    )
    expect(answers.map(({ json }) => json.code)).toEqual(answers.map(() => 'SESSION_NOT_FOUND'))
  })

  it('serves its pages to whoever reaches it, and to nobody else', async () => {
    const headers = { Accept: 'text/html', Host: CONSOLE_HOST }
    const here = await app.request({ path: '/users/x', headers })
    expect([here.status, here.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining("script-src 'self'"),
    ])
    expect(here.headers['strict-transport-security']).toContain('includeSubDomains')
    // "Back" after a logout shows nobody.
    expect(here.headers['cache-control']).toBe('no-store')
    const [, asset = ''] = /src="([^"]+\.js)"/.exec(here.text) ?? []
    expect((await app.request({ path: asset, headers })).status).toBe(200)
    for (const path of ['/', '/users/x', asset]) {
      expect((await app.request({ path, headers, localAddress: '127.0.0.2' })).status).toBe(404)
      expect((await app.request({ path, headers: { ...headers, Host: 'www.main.test' } })).status).toBe(404)
    }
  })

  it('is hidden from another address, even with the cookie', async () => {
    const answer = await operator.get('me', { localAddress: '127.0.0.2' })
    expect(answer.status).toBe(404)
    expect((await operator.logIn({}, { localAddress: '127.0.0.2' })).status).toBe(404)
  })

  it.each([
    ['the main site', MAIN],
    ['no origin', 'null'],
  ])('a change that a page of %s sends with the cookie is refused', async (_, Origin) => {
    const answer = await operator.post('logout', {}, { headers: { Origin } })
    expect(answer.status).toBe(403)
    expect(answer.json).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' })
    expect((await operator.get('me')).status).toBe(200)
  })

  it('a change without an Origin is refused', async () => {
    const answer = await operator.post('logout', {}, { headers: { Origin: [] } })
    expect(answer.json).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' })
  })

  it.each(['same-site', 'cross-site', 'none'])('a look with Sec-Fetch-Site: %s is refused', async site => {
    const answer = await operator.get('me', { headers: { 'Sec-Fetch-Site': site } })
    expect(answer.json).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' })
  })

  it('no answer lets another page read it', async () => {
    const { headers } = await operator.get('me')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers['cache-control']).toContain('no-store')
  })

  it.each(['/api/login', '/%61pi/login'])(
    "treats the console's origin as a stranger at the rest of the API: %s",
    async path => {
      const { status, json } = await app.post(
        path,
        { email: 'a@example.com', password: PASSWORD, source: 'main' },
        { Host: CONSOLE_HOST, Origin: CONSOLE },
      )
      expect([status, json.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
    },
  )

  it('treats an owner, with token and cookie, as a stranger in the console', async () => {
    const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'main')
    const headers = { ...bearer(accessToken), Cookie: `__Host-operator=${sessionId}; sessionId=${sessionId}` }
    const answer = await operator.get('me', { headers })
    expect(answer.json).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it("an operator's cookie is no session of a user", async () => {
    const sessionId = operator.cookie.split('=')[1] as string
    const answer = await app.post('/api/refresh', undefined, {
      Origin: MAIN,
      Cookie: `sessionId=${sessionId}`,
    })
    expect(answer.json).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('two cookies are none', async () => {
    const answer = await operator.get('me', { headers: { Cookie: `${operator.cookie}; ${operator.cookie}` } })
    expect(answer.status).toBe(401)
  })
})

describe('operator console: guesses', () => {
  slow('are limited, and do not count against a user with the same address', async () => {
    const app = await startWithConsole({ ATTEMPTS_PER_ACCOUNT_AND_NETWORK: '3' })
    try {
      const operator = await ConsoleUser.add(app)
      for (let guess = 0; guess < 3; guess++)
        expect((await operator.logIn({ code: operator.authenticator.wrongCode() })).status).toBe(401)
      expect((await operator.logIn()).json).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
      const user = await sendLogin(app, operator)
      expect(user.json).toMatchObject({ code: 'INVALID_CREDENTIALS' })
    } finally {
      await app.stop()
    }
  })
})

describe('without OPERATOR_ORIGIN', () => {
  slow('there is no route of the console', async () => {
    const app = await TestApp.start()
    try {
      const paths = handlersOf(app.app).map(({ path }) => path)
      expect(paths.filter(path => path.includes('operator'))).toEqual([])
      const answer = await app.request({ path: '/api/operator/me', headers: { Host: CONSOLE_HOST } })
      expect(answer.status).toBe(404)
    } finally {
      await app.stop()
    }
  })
})
