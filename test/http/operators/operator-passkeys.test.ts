import { randomUUID, webcrypto } from 'node:crypto'
import { describe, expect, it, jest } from '@jest/globals'
import { type Email, Operators, userHandleOf } from '../../sources.js'
import { prove } from '../../support/factors.js'
import { SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { addPasskey as addUserPasskey, passkeyOptions } from '../support/passkey-calls.js'
import { CONSOLE, CONSOLE_HOST, ConsoleUser, withConsole } from './console-calls.js'

const HERE = { origin: CONSOLE, rpId: CONSOLE_HOST }

describe('operator console: passkeys', () => {
  const app = anApp(withConsole())

  async function withPasskey() {
    const operator = await ConsoleUser.loggedIn(app)
    const authenticator = new SoftwareAuthenticator(HERE)
    // The code of the login is used up.
    app.clock.advance(30)
    const answer = await add(operator, authenticator)
    if (answer.status !== 204) throw new Error(`adding answered ${answer.status} ${answer.text}`)
    return { operator, authenticator }
  }

  async function add(
    operator: ConsoleUser,
    authenticator: SoftwareAuthenticator,
    { code = operator.authenticator.code(), lies = {} } = {},
  ) {
    const { json: options } = await operator.post('passkeys/options', {})
    const response = authenticator.create(options, lies)
    return operator.post('passkeys', { response, name: 'Key ring', code })
  }

  async function logIn(operator: ConsoleUser, authenticator: SoftwareAuthenticator, lies = {}) {
    const { json: options } = await operator.post('login/passkey/options', {})
    return operator.post('login/passkey', { response: authenticator.get(options, lies) })
  }

  it('opens nothing when it is removed during a login', async () => {
    const { operator, authenticator } = await withPasskey()
    const { json: options } = await operator.post('login/passkey/options', {})
    const database = app.database
    const transaction = database.transaction.bind(database)
    // The one that would open the session, once the passkey has been found and its signature checked.
    const opening = jest.spyOn(database, 'transaction').mockImplementationOnce(async work => {
      await app.get(Operators).disable(operator.email as Email)
      return transaction(work)
    })
    try {
      const answer = await operator.post('login/passkey', { response: authenticator.get(options) })
      expect(answer.json).toMatchObject({ code: 'PASSKEY_INVALID' })
      expect(opening).toHaveBeenCalled()
    } finally {
      jest.restoreAllMocks()
    }
  })

  it('logs in by itself, once for each challenge', async () => {
    const { operator, authenticator } = await withPasskey()
    const { json: options } = await operator.post('login/passkey/options', {})
    expect(options).toMatchObject({ rpId: CONSOLE_HOST, userVerification: 'required' })
    const response = authenticator.get(options)
    const [first, second] = [
      await operator.post('login/passkey', { response }),
      await operator.post('login/passkey', { response }),
    ]
    expect([first?.status, second?.status]).toEqual([204, 401])
    expect(first?.setCookies[0]).toContain('__Host-operator=')
    const { json } = await operator.get('passkeys')
    expect(json.passkeys).toMatchObject([{ name: 'Key ring', credentialId: authenticator.credentialId }])
  })

  it('requires a code of the app to add one: a stolen cookie is no lasting way in', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    const code = operator.authenticator.wrongCode()
    const answer = await add(operator, new SoftwareAuthenticator(HERE), { code })
    expect(answer.json).toMatchObject({ code: 'SECOND_FACTOR_INVALID' })
    expect((await operator.get('passkeys')).json.passkeys).toEqual([])
    const tries = await app.auditRows({ action: 'operator.passkey' })
    expect(tries.at(-1)).toMatchObject({
      outcome: 'failed',
      detail: { operator: operator.id, step: 'added', reason: 'wrong code' },
    })
  })

  it.each([
    ['for the main site', { origin: MAIN }],
    ['without user verification', { isUserVerified: false }],
    ['of somebody else', { userHandle: Buffer.from('somebody else 16').toString('base64url') }],
    ['of nobody', { userHandle: null }],
  ])('refuses one that was signed %s', async (_, lies) => {
    const { operator, authenticator } = await withPasskey()
    expect((await logIn(operator, authenticator, lies)).json).toMatchObject({ code: 'PASSKEY_INVALID' })
  })

  it('refuses one that nobody has added, and a challenge for users', async () => {
    const { operator, authenticator } = await withPasskey()
    const stranger = new SoftwareAuthenticator({ ...HERE, userHandle: userHandleOf(operator.id) })
    expect((await logIn(operator, stranger)).json).toMatchObject({ code: 'PASSKEY_INVALID' })
    const { challenge } = await passkeyOptions(app)
    const response = authenticator.get({ challenge, rpId: CONSOLE_HOST })
    expect((await operator.post('login/passkey', { response })).status).toBe(401)
  })

  it('checks a signature also for a passkey that nobody has added (S13)', async () => {
    const { operator, authenticator } = await withPasskey()
    const userHandle = userHandleOf(operator.id)
    const checks = jest.spyOn(webcrypto.subtle, 'verify')
    try {
      await logIn(operator, new SoftwareAuthenticator({ ...HERE, userHandle }))
      await logIn(operator, authenticator, { userHandle: userHandleOf(randomUUID()) })
      expect(checks).toHaveBeenCalledTimes(2)
    } finally {
      jest.restoreAllMocks()
    }
  })

  it("a user's passkey is no operator's", async () => {
    const user = await anOwner(app)
    const owner = await signIn(app, user, 'main')
    await prove(app, owner, 'pwd')
    const { authenticator } = await addUserPasskey(app, owner)
    const operator = await ConsoleUser.add(app)
    expect((await logIn(operator, authenticator, HERE)).json).toMatchObject({ code: 'PASSKEY_INVALID' })
  })

  it('refuses a removed one; only its own operator can remove it', async () => {
    const { operator, authenticator } = await withPasskey()
    const other = await ConsoleUser.loggedIn(app)
    const { credentialId } = authenticator
    expect((await other.post('passkeys/remove', { credentialId })).status).toBe(404)
    expect((await operator.post('passkeys/remove', { credentialId })).status).toBe(204)
    expect((await logIn(operator, authenticator)).status).toBe(401)
  })

  it('removes those of a disabled operator, also if the operator comes back', async () => {
    const { operator, authenticator } = await withPasskey()
    await app.get(Operators).disable(operator.email as Email)
    expect((await logIn(operator, authenticator)).status).toBe(401)
    await app.get(Operators).add(operator.email as Email, 'another long password')
    expect((await logIn(operator, authenticator)).status).toBe(401)
  })
})
