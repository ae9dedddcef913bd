import { join } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import type { CDPSession, Frame, Page } from 'playwright-core'
import type { User } from '../sources.js'
import { documentedCode } from '../support/client/documented-code.js'
import { anOwner, PASSWORD } from '../support/people.js'
import { API, EVIL, MAIN, SHOP_ONE, SHOP_TWO, SIBLING } from './stage/hosts.js'
import { aStage } from './stage/stage.js'
import { addAuthenticator } from './stage/virtual-authenticator.js'

/** What the browser's own authenticator is asked for; the rest as the service says. */
interface Request {
  readonly challenge?: string
  readonly rpId?: string
  readonly userVerification?: string
}

// biome-ignore lint/suspicious/noExplicitAny: every call answers something else.
type Answer = { readonly status: number; readonly json: any }

const stage = aStage(undefined, { PASSKEY_RELATED_ORIGINS: SHOP_ONE, ATTEMPTS_PER_NETWORK: '1000' })
let user: User
let page: Page
let device: CDPSession
let authenticatorId: string
let accessToken: string | null
beforeEach(async () => {
  user = await anOwner(stage.app)
  page = await (await stage.newPerson()).newPage()
  ;({ device, authenticatorId } = await addAuthenticator(page, { isTouched: true }))
  await page.goto(`${MAIN}/`)
  accessToken = null
  const { json } = await call('/api/login', { email: user.email, password: PASSWORD, source: 'main' })
  accessToken = json.accessToken
  expect(await call('/api/reauthenticate', { password: PASSWORD })).toMatchObject({ status: 200 })
  expect(await create()).toMatchObject({ status: 201 })
})

/** A page's POST, with what the user has on the main site. */
function call(path: string, body: object | null, place: Page | Frame = page): Promise<Answer> {
  const authorization = accessToken && place === page ? { Authorization: `Bearer ${accessToken}` } : {}
  const headers = { 'Content-Type': 'application/json', ...authorization }
  const request = {
    method: 'POST',
    credentials: 'include',
    headers,
    body: body && JSON.stringify(body),
  } as const
  const code =
    'fetch(input.url, input.init).then(async answer => ({ status: answer.status, json: await answer.json() }))'
  return run(code, { url: API + path, init: request }, place)
}

/** What this code gives in the page. It is text: the types of the tests know nothing of a page. */
// biome-ignore lint/suspicious/noExplicitAny: each code gives something else.
function run(code: string, input: unknown, place: Page | Frame = page): Promise<any> {
  return place.evaluate(`(async input => (${code}))(${JSON.stringify(input)})`)
}

/** Makes a passkey in the page. */
async function create(): Promise<Answer> {
  const { json: options } = await call('/api/passkeys/options', {})
  const made =
    'navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(input) })'
  const response = await run(`${made}.then(key => key.toJSON())`, options)
  return call('/api/passkeys', { response })
}

/** What the browser gives a page for these options; its refusal is the name of the error. */
function askFor(options: object, place: Page | Frame = page): Promise<object | string> {
  const asked =
    'navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(input) })'
  return run(`${asked}.then(key => key.toJSON()).catch(error => error.name)`, options, place)
}

/** What the page there gets for options of the service, except that it asks for `more`. */
async function get(place: Page | Frame = page, more: Request = {}): Promise<object | string> {
  const { json: options } = await call('/api/login/passkey/options', {}, place)
  return askFor({ ...options, ...more }, place)
}

/** Gives the browser a copy of its passkey that is of this domain. */
async function moveCredential(rpId: string): Promise<void> {
  const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId })
  const [credential] = credentials
  if (!credential) throw new Error('The browser has no passkey')
  await device.send('WebAuthn.clearCredentials', { authenticatorId })
  await device.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, rpId } })
}

/** Sends it from there, as login. */
function logIn(response: object | string, place: Page | Frame = page): Promise<Answer> {
  return call('/api/login/passkey', { response, source: 'main' }, place)
}

const INVALID = { status: 401, json: { code: 'PASSKEY_INVALID' } }
const SUCCESS = { status: 200 }

test('a passkey of the browser logs in, and its session is in the cookie', async () => {
  expect(await logIn(await get())).toMatchObject(SUCCESS)
  const cookies = await page.context().cookies()
  expect(cookies.map(({ name }) => name)).toContain('sessionId')
})

test('an authenticator that has not checked its user does not log in', async () => {
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  expect(await get()).toBe('NotAllowedError')
  // A page can ask for less; what it is given is not enough.
  expect(await logIn(await get(page, { userVerification: 'discouraged' }))).toMatchObject(INVALID)
})

test('a passkey of another domain does not log in, and browsers do not lend ours', async () => {
  expect(await get(page, { rpId: 'evil.test' })).toBe('SecurityError')
  const { challenge } = (await call('/api/login/passkey/options', {})).json
  await moveCredential('evil.test')
  await page.goto(`${EVIL}/`)
  const response = await askFor({ challenge, rpId: 'evil.test' })
  expect(response).toMatchObject({ type: 'public-key' })
  await page.goto(`${MAIN}/`)
  expect(await logIn(response)).toMatchObject(INVALID)
})

const EMBED = `document.body.append(
  Object.assign(document.createElement('iframe'), { allow: 'publickey-credentials-get *', src: input }),
)`

describe('a page of the main site in a frame', () => {
  test.each([EVIL, SIBLING])('of %s uses no passkey, even if it is allowed to ask', async embedder => {
    await page.goto(`${embedder}/`)
    await run(EMBED, `${MAIN}/`)
    const frame = await page.waitForEvent('framenavigated', {
      predicate: ({ parentFrame }) => parentFrame !== null,
    })
    const response = await get(frame)
    expect(response).toMatchObject({ type: 'public-key' })
    expect(await logIn(response, frame)).toMatchObject(INVALID)
  })
})

describe('the code for passkeys in docs/integrate', () => {
  /** What this gives in the page, where `shown` is that code and `client` the page's client. */
  const inPage = (code: string, input: unknown = null) => run(code, input)
  const status = () => inPage('client.state.status')
  beforeEach(async () => {
    await page.evaluate(await documentedScript())
    await inPage('client.logout()')
  })

  test('logs in by a button, or by what the browser fills in', async () => {
    await inPage(`new Promise((resolve, reject) => {
      const button = document.body.appendChild(document.createElement('button'))
      shown.offerPasskeys(client, button, reject)
      client.onChange(({ status }) => status === 'loggedIn' && resolve())
      button.click()
    })`)
    expect(await status()).toBe('loggedIn')
  })

  test('completes a login that a password has begun', async () => {
    const credentials = { email: user.email, password: PASSWORD }
    const { code, challenge } = await inPage(
      'client.login(input).catch(({ code, challenge }) => ({ code, challenge }))',
      credentials,
    )
    expect(code).toBe('SECOND_FACTOR_REQUIRED')
    await inPage('shown.completeLogin(client, input)', challenge)
    expect(await status()).toBe('loggedIn')
  })

  test('re-authenticates, removes a passkey, in the browser too, and adds another', async () => {
    const list = async () =>
      (await inPage(`client.fetch('/api/passkeys').then(answer => answer.json())`)).passkeys
    const credentials = async () =>
      (await device.send('WebAuthn.getCredentials', { authenticatorId })).credentials.map(
        ({ credentialId }) => credentialId,
      )
    const challenge = await inPage('client.login(input).catch(error => error.challenge)', {
      email: user.email,
      password: PASSWORD,
    })
    await inPage('shown.completeLogin(client, input)', challenge)
    const [{ id }] = await list()
    stage.app.clock.advance(stage.app.settings.reauthenticationTtlSeconds)
    const refusal = 'shown.removePasskey(client, input).catch(({ code, methods }) => ({ code, methods }))'
    expect(await inPage(refusal, id)).toEqual({
      code: 'REAUTHENTICATION_REQUIRED',
      methods: ['passkey', 'recovery'],
    })
    await inPage('shown.reauthenticate(client)')
    const before = await credentials()
    await inPage('shown.removePasskey(client, input)', id)
    expect(await list()).toEqual([])
    expect(await credentials()).toEqual([])
    expect(await inPage('shown.addPasskey(client)')).toHaveLength(10)
    expect(await list()).toHaveLength(1)
    expect(await credentials()).not.toEqual(before)
  })
})

/** A script that makes it the global `shown`. */
async function documentedScript(): Promise<string> {
  const packages = join(__dirname, '../../packages/client/src')
  const { outputFiles } = await build({
    stdin: { contents: await documentedCode('Passkeys'), loader: 'ts', resolveDir: packages },
    alias: {
      '@mainstay-auth/client/passkeys': join(packages, 'passkeys.ts'),
      '@mainstay-auth/client': join(packages, 'index.ts'),
    },
    ...{ bundle: true, format: 'iife', globalName: 'shown', target: 'es2022', write: false },
    footer: { js: 'globalThis.shown = shown' },
  })
  return outputFiles[0]!.text
}

test('a satellite that is no related origin gets no passkey from the browser', async () => {
  const { json: options } = await call('/api/login/passkey/options', {})
  await page.goto(`${SHOP_TWO}/`)
  expect(await askFor(options)).toBe('SecurityError')
})
