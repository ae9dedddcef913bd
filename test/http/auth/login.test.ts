import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { hash } from '@node-rs/argon2'
import { type ApiError, Passwords, UserAdministration, Users } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { anEmail, anOwner, aSignedInOwner, PASSWORD, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { cookie, outcome, readData, refreshByCookie } from '../support/api-calls.js'

const CURRENT_PARAMETERS = '$argon2id$v=19$m=19456,t=2,p=1$'

describe('POST /api/login', () => {
  // Being too busy is logged, once for each who is told.
  const app = anApp({ HASH_MEMORY_KIB: '19456' })

  function logIn(body: object, headers: Record<string, string> = { Origin: MAIN }): Promise<TestResponse> {
    return app.post('/api/login', { password: PASSWORD, source: 'main', ...body }, headers)
  }

  describe('refuses with the same answer', () => {
    it('an unknown user, a disabled user and a wrong password', async () => {
      const { email } = await anOwner(app)
      const disabled = await anOwner(app)
      await app.get(UserAdministration).disable(disabled)
      const answers = [
        await logIn({ email: anEmail() }),
        await logIn({ email: disabled.email }),
        await logIn({ email, password: 'wrong' }),
      ]
      expect(answers.map(outcome)).toEqual(Array(3).fill('401 INVALID_CREDENTIALS'))
      const [unknown, ...others] = answers.map(withoutRequestId)
      for (const other of others) expect(other).toEqual(unknown)
    })

    it('a user without a password', async () => {
      const user = await anOwner(app)
      await app.database.transaction(transaction =>
        app.get(Users).replaceHash(transaction, user, null as never),
      )
      expect(outcome(await logIn({ email: user.email, password: 'nobody has this password' }))).toBe(
        '401 INVALID_CREDENTIALS',
      )
    })

    function withoutRequestId({ status, json, headers }: TestResponse) {
      const { 'x-request-id': _, date: __, ...rest } = headers
      return { status, json: { ...json, requestId: '' }, headers: rest }
    }
  })

  it.each([
    ['upper case', (email: string) => email.toUpperCase()],
    ['spaces around it', (email: string) => ` ${email} `],
  ])('takes an e-mail address in %s', async (_, write) => {
    const { email } = await anOwner(app)
    expect(outcome(await logIn({ email: write(email) }))).toBe('200')
  })

  it('takes a password in whichever Unicode form it is typed', async () => {
    const { email } = await anOwner(app, 'Zürich ﬁve'.normalize('NFD'))
    expect(outcome(await logIn({ email, password: 'Zürich five'.normalize('NFC') }))).toBe('200')
    expect(outcome(await logIn({ email, password: 'zürich five' }))).toBe('401 INVALID_CREDENTIALS')
  })

  it('hashes anew what was hashed with weaker parameters', async () => {
    const user = await anOwner(app)
    const weak = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    await app.database.transaction(transaction => app.get(Users).replaceHash(transaction, user, weak))
    expect((await app.get(Users).findByEmail(user.email))?.passwordHash).toBe(weak)
    await signIn(app, user, 'main')
    const after = await app.get(Users).findByEmail(user.email)
    expect(after?.passwordHash).toMatch(new RegExp(`^${CURRENT_PARAMETERS.replaceAll('$', '\\$')}`))
    await signIn(app, user, 'main')
    expect((await app.get(Users).findByEmail(user.email))?.passwordHash).toBe(after?.passwordHash)
  })

  describe('to the main site', () => {
    it('ends no session when the password is wrong', async () => {
      const user = await aSignedInOwner(app)
      await logIn({ email: user.email, password: 'wrong' }, { Origin: MAIN, ...cookie(user.sessionId) })
      expect(outcome(await refreshByCookie(app, user.sessionId))).toBe('200')
    })

    it.each(['right', 'wrong'])(
      'is refused to a satellite before the %s password is looked at',
      async which => {
        const user = await anOwner(app)
        const answer = await logIn(
          { email: user.email, password: which === 'right' ? PASSWORD : 'wrong' },
          { Origin: SHOP_ONE },
        )
        expect(outcome(answer)).toBe('403 MAIN_ORIGIN_REQUIRED')
        expect(answer.setCookies).toEqual([])
        expect(await app.auditRows({ userId: user.id, action: 'login' })).toEqual([])
      },
    )

    it('is refused to another site when the browser sent no Origin', async () => {
      const { email } = await anOwner(app)
      expect(outcome(await logIn({ email }, { 'Sec-Fetch-Site': 'cross-site' }))).toBe(
        '403 CROSS_SITE_REFUSED',
      )
      expect(outcome(await logIn({ email }, {}))).toBe('200')
    })
  })

  slow('asks further callers to retry when 50 are already waiting; refresh and data continue', async () => {
    const { sessionId, accessToken } = await signIn(app, await anOwner(app), 'main')
    const passwords = app.get(Passwords)
    const client = { requestId: 'r', ip: '127.0.0.1', userAgent: null, origin: null }
    const check = () => passwords.verify(null, 'a password', client).catch((error: ApiError) => error.code)
    const first = Array.from({ length: 60 }, check)
    let isOver = false
    // Whoever gets done makes room for the next at once: it stays full, however slow the machine is.
    const crowd = (async () => {
      while (!isOver) {
        void check()
        await nextTurn()
      }
    })()
    try {
      // One of them may come just when there is room.
      const answers = await Promise.all(Array.from({ length: 6 }, () => logIn({ email: anEmail() })))
      const refused = answers.filter(answer => outcome(answer) === '503 TOO_BUSY')
      expect(refused.length).toBeGreaterThan(0)
      for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^[2-5]$/)
      const meanwhile = [await refreshByCookie(app, sessionId), await readData(app, accessToken)]
      expect(meanwhile.map(outcome)).toEqual(['200', '200'])
    } finally {
      isOver = true
      await crowd
    }
    // Two at work and fifty waiting.
    expect(await Promise.all(first)).toEqual([...Array(52).fill(false), ...Array(8).fill('TOO_BUSY')])
    await eventually(async () => outcome(await logIn({ email: anEmail() })) === '401 INVALID_CREDENTIALS', {
      what: 'room for a login',
    })
  })
})
