import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { build } from 'esbuild'
import { pack } from '../support/client/installed-package.js'
import { eventually } from '../support/eventually.js'
import { request } from '../support/http-request.js'
import { freePort } from '../support/processes/free-port.js'
import { Laptop } from '../support/processes/laptop.js'
import { InstalledProject } from './support/installed-project.js'
import { typeFaults } from './support/type-check.js'

const run = promisify(execFile)
const ROOT = join(__dirname, '../..')
const PATIENCE_MS = 180_000
const SECURE_STORE = 'expo-secure-store@57.0.4'

async function runExample(name: string): Promise<{ laptop: Laptop; url: string }> {
  const port = String(await freePort())
  const laptop = await Laptop.start('examples/run.mjs', [name], { EXAMPLE_PORT: port })
  return { laptop, url: `http://127.0.0.1:${port}` }
}

describe('npm run example -- express-backend', () => {
  let laptop: Laptop
  let url: string
  beforeAll(async () => {
    ;({ laptop, url } = await runExample('express-backend'))
  }, PATIENCE_MS)
  afterAll(() => laptop?.stop())

  it('prints commands that work as they are', async () => {
    await eventually(() => laptop.terminal().includes('curl -s http://127.0.0.1'))
    const [, commands = ''] = laptop
      .terminal()
      .split(`${url}/orders, which takes access tokens of the service`)
    const { stdout } = await run('sh', ['-ec', commands])
    const order = {
      article: 'Touring bike',
      quantity: 2,
      enteredBy: expect.any(String),
      at: expect.any(String),
    }
    const [entered, listed] = stdout.split(/(?<=\})(?=\{"orders")/).map(text => JSON.parse(text))
    expect(entered).toEqual(order)
    expect(listed).toEqual({ orders: [order] })
  })

  it('answers nobody without a token, and no order that is none', async () => {
    expect(await request(url, { path: '/orders' })).toMatchObject({ status: 401 })
    const headers = { authorization: `Bearer ${await aToken(laptop.url)}` }
    for (const body of [
      { article: '', quantity: 1 },
      { article: 'Town bike', quantity: 1.5 },
      { quantity: 1 },
    ])
      expect(await request(url, { method: 'POST', path: '/orders', headers, body })).toMatchObject({
        status: 400,
      })
  })

  it('answers a body that is not JSON only to callers, and without a stack trace', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${url}/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{',
      })
    expect((await post({})).status).toBe(401)
    const refusal = await post({ authorization: `Bearer ${await aToken(laptop.url)}` })
    expect([refusal.status, await refusal.json()]).toEqual([400, { detail: expect.stringContaining('JSON') }])
  })
})

describe('npm run example -- expo', () => {
  let project: InstalledProject
  beforeAll(async () => {
    // Without Expo itself, which is what it would install beside its secure store.
    const client = await pack('packages/client')
    project = await InstalledProject.with(client, SECURE_STORE, '--legacy-peer-deps')
    await project.link('@types/node', 'undici-types')
    await run('cp', [join(ROOT, 'examples/expo/session.ts'), project.folder])
  }, PATIENCE_MS)
  afterAll(() => project?.remove())

  it('is right in its types, by those of Expo', () => {
    expect(typeFaults(project.folder, 'session.ts', { types: ['node'] })).toEqual([])
  })

  it('logs in, and is still logged in when the app is opened again', async () => {
    const { laptop } = await runExample('expo')
    try {
      await project.write('app.mjs', APP)
      await build({
        entryPoints: [join(project.folder, 'app.mjs')],
        outfile: join(project.folder, 'bundle.mjs'),
        bundle: true,
        format: 'esm',
        define: { 'process.env.EXPO_PUBLIC_MAINSTAY_URL': JSON.stringify(laptop.url) },
        // What a phone has in its system.
        plugins: [
          {
            name: 'keychain',
            setup: ({ onLoad }) => onLoad({ filter: /ExpoSecureStore\.js$/ }, () => ({ contents: KEYCHAIN })),
          },
        ],
      })
      const [wrong, right, ...reopened] = (await project.run('node', 'bundle.mjs')).trim().split('\n')
      expect(wrong).toBe('{"status":"refused","text":"The e-mail address or the password is wrong."}')
      expect(JSON.parse(right as string)).toMatchObject({
        status: 'loggedIn',
        caller: { source: 'satellite' },
      })
      expect(reopened).toEqual(['loggedIn', 'this device only'])
    } finally {
      await laptop.stop()
    }
  })
})

async function aToken(url: string): Promise<string> {
  const body = { email: 'member@example.com', password: 'correct horse battery staple', source: 'satellite' }
  return (await request(url, { method: 'POST', path: '/api/login', body })).json.accessToken
}

const KEYCHAIN = `const items = new Map()
const options = new Set()
export default {
  AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: 'this device only',
  getValueWithKeyAsync: async key => items.get(key) ?? null,
  setValueWithKeyAsync: async (value, key, { keychainAccessible }) => {
    options.add(keychainAccessible)
    items.set(key, value)
  },
  deleteValueWithKeyAsync: async key => void items.delete(key),
  options,
}`

const APP = `import { mobileClient } from '@mainstay-auth/client'
import * as SecureStore from 'expo-secure-store'
import keychain from './node_modules/expo-secure-store/build/ExpoSecureStore.js'
import { client, logIn } from './session.ts'
console.log(JSON.stringify(await logIn('member@example.com', 'wrong')))
console.log(JSON.stringify(await logIn('member@example.com', 'correct horse battery staple')))
client.close()
const reopened = mobileClient({
  baseUrl: client.baseUrl,
  storage: { get: SecureStore.getItemAsync, set: SecureStore.setItemAsync, remove: SecureStore.deleteItemAsync },
})
await reopened.refresh()
console.log(reopened.state.status)
console.log([...keychain.options].join())
process.exit(0)
`
