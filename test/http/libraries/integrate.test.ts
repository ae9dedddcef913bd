import { execFile, spawn } from 'node:child_process'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { transform } from 'esbuild'
import { type MovableAddress, startMovableAddress } from '../../faults/support/movable-address.js'
import { giveAuthenticator, spendCodes } from '../../support/authenticator.js'
import { documentedBlocks, documentedCode } from '../../support/client/documented-code.js'
import { projectWithPackages } from '../../support/client/installed-package.js'
import { eventually } from '../../support/eventually.js'
import { request, type TestRequest } from '../../support/http-request.js'
import { anOwner, PASSWORD, signIn } from '../../support/people.js'
import { freePort } from '../../support/processes/free-port.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'
import { addPasskey } from '../support/passkey-calls.js'
import { provenSession } from '../support/reauthenticate.js'

const run = promisify(execFile)
const ROOT = join(__dirname, '../../..')
const SUPPORT = join(ROOT, 'test/support/client')
/** What the client may weigh, minified and gzipped. */
const MAX_CLIENT_BYTES = 5_899
const MAX_HANDOFF_BYTES = 1_549
/** With the client, its stylesheet and two languages. */
const MAX_LOGIN_BYTES = 13_899
const MAX_PASSKEYS_BYTES = 1_100
const MAX_API_BYTES = 800
const MAX_REAUTHENTICATION_BYTES = 700
const MAX_TYPES_BYTES = 60_000
const PATIENCE_MS = 60_000
/** Of a program that contains Mainstay; what it shares with the service is added. */
const SETTINGS = {
  NODE_ENV: 'test',
  MAIN_ORIGIN: MAIN,
  ALLOWED_ORIGINS: SHOP_ONE,
  STRIPE_SECRET_KEY: 'sk_test_payment_sandbox',
  STRIPE_WEBHOOK_SECRET: 'whsec_payment_sandbox_only',
  STRIPE_PRICE_IDS: 'price_monthly',
}

describe('docs/integrate, in a project that has installed the packages', () => {
  let address: MovableAddress
  let url: string
  let app: TestApp
  let email: string
  let project: { folder: string; remove(): Promise<void> }

  beforeAll(async () => {
    // The issuer is part of every token, so the address has to be known before the service starts.
    address = await startMovableAddress(0)
    url = `http://127.0.0.1:${address.port}`
    app = await TestApp.start({ JWT_ISSUER: url, JWT_AUDIENCE: url })
    address.moveTo(Number(new URL(app.url).port))
    email = (await anOwner(app)).email
    project = await projectWithPackages()
    await write('package.json', '{ "type": "module" }')
    await write(
      'node_modules/expo-secure-store/package.json',
      '{ "type": "module", "exports": "./index.js" }',
    )
    await write('node_modules/expo-secure-store/index.js', secureStore)
    await write('node_modules/expo-secure-store/index.d.ts', secureStoreTypes)
  }, PATIENCE_MS)
  afterAll(async () => {
    address?.close()
    await app?.stop()
    await project?.remove()
  })

  async function write(name: string, text: string): Promise<string> {
    const path = join(project.folder, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
    return path
  }

  /** The code with our address in place of the example's, as a program. */
  async function writeProgram(name: string, code: string, port = 0): Promise<string> {
    const placed = code.replaceAll('https://auth.example.com', url).replace('4000', String(port))
    const { code: script } = await transform(placed, {
      loader: 'tsx',
      jsx: 'automatic',
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    })
    return write(`${name}.mjs`, script)
  }

  async function node(...args: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, args, { cwd: project.folder, timeout: 20_000 })
    return stdout
  }

  slow('is right in its types', async () => {
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true },
      ...{ jsx: 'react-jsx', experimentalDecorators: true, types: ['node'] },
    }
    await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }))
    await write('app.tsx', await documentedCode('React'))
    await write('components.tsx', await documentedCode('React: components and hooks'))
    await write('through-main.tsx', await documentedCode('Through the main site in React'))
    // Next takes imports without an extension.
    const next = await documentedBlocks('Next')
    for (const [index, name] of ['session', 'layout', 'page'].entries())
      await write(`${name}.tsx`, (next[index] as string).replace("'./session'", "'./session.js'"))
    await write('mobile.ts', await documentedCode('Expo'))
    const [typed, asking] = await documentedBlocks('Typed calls')
    await write('typed.ts', typed as string)
    await write('asking.ts', asking as string)
    await write('second-factor.ts', await documentedCode('Second factors'))
    await write('passkeys.ts', await documentedCode('Passkeys'))
    for (const framework of ['Fastify', 'Express', 'Nest', 'Anything else'])
      await write(`${framework.split(' ')[0]}.ts`, await documentedCode(framework))
    const [page, backend] = await documentedBlocks('In your code', 'README.md')
    await write('readme-page.tsx', page as string)
    await write('readme-backend.ts', backend as string)
    const { stdout } = await run(process.execPath, ['node_modules/typescript/bin/tsc'], {
      cwd: project.folder,
    }).catch(error => error)
    expect(stdout).toBe('')
  })

  it.each([
    ['client', 'mainstay.js', MAX_CLIENT_BYTES],
    ['hand-off', 'mainstay-handoff.js', MAX_HANDOFF_BYTES],
    ['login for pages without a framework', 'mainstay-login.js', MAX_LOGIN_BYTES],
    ['set of passkey helpers', 'mainstay-passkeys.js', MAX_PASSKEYS_BYTES],
    ['set of typed calls', 'mainstay-api.js', MAX_API_BYTES],
    ['repeat after a proof', 'mainstay-reauthentication.js', MAX_REAUTHENTICATION_BYTES],
  ])('has a %s that weighs little', async (_, file, maxBytes) => {
    const bundle = await readFile(join(project.folder, 'node_modules/@mainstay-auth/client/dist', file))
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(maxBytes)
    const name = `import.meta.resolve('@mainstay-auth/client/${file}')`
    const found = await node('--input-type=module', '-e', `console.log(${name})`)
    expect(found.trim().endsWith(`/dist/${file}`)).toBe(true)
  })

  it('has a client that may be copied under any name, and one class of errors for all its files', async () => {
    const folder = join(project.folder, 'node_modules/@mainstay-auth/client/dist')
    const textOf = (file: string) => readFile(join(folder, file), 'utf8')
    expect(await textOf('mainstay.js')).not.toMatch(/\bimport\b/)
    for (const file of ['mainstay-api.js', 'mainstay-handoff.js', 'mainstay-reauthentication.js'])
      expect(await textOf(file)).toContain('from"./mainstay.js"')
  })

  it('has types of all operations that weigh little', async () => {
    const types = join(project.folder, 'node_modules/@mainstay-auth/client/dist/operations.d.ts')
    expect((await readFile(types)).length).toBeLessThan(MAX_TYPES_BYTES)
  })

  slow('shows a satellite in ten lines of HTML', async () => {
    const html = await documentedCode('With a form of your own')
    expect(html.trim().split('\n')).toHaveLength(10)
    const [, script] = /<script type="module">([\s\S]*)<\/script>/.exec(html) as unknown as [string, string]
    const bundle = join(project.folder, 'node_modules/@mainstay-auth/client/dist/mainstay.js')
    await write('mainstay.js', await readFile(bundle, 'utf8'))
    const page = await write('page.mjs', script.replaceAll('https://auth.example.com', url))
    const [first, second] = (await node(join(SUPPORT, 'page-stub.mjs'), page, email, PASSWORD)).split('\n')
    expect(first).toBe('Logged out')
    expect(JSON.parse(second as string)).toMatchObject({ permissions: { dataEntry: true, payments: false } })
  })

  slow('shows a React page', async () => {
    const shown = await useReact(await documentedCode('React'), 'You may see reports.', SHOP_ONE)
    expect(shown).toEqual(['One moment …', 'Log in', 'You may see reports.', 'Log in'])
  })

  slow('shows a React page with a form alone', async () => {
    const shown = await useReact(await documentedCode('React: components and hooks'), 'You may pay.')
    expect(shown).toEqual(['One moment …', 'Log in', 'You may pay.', 'Log in'])
  })

  slow('shows a React page of 12 lines and a backend of 8 in README', async () => {
    const [page = '', backend = ''] = await documentedBlocks('In your code', 'README.md')
    expect([page, backend].map(code => code.trim().split('\n').length)).toEqual([12, 8])
    const shown = await useReact(page, 'Account menu')
    expect(shown).toEqual(['undefined', 'Log in', 'Account menu', 'Log in'])
    const { refused, answer } = await callBackend('readme', backend)
    expect(outcome(refused)).toBe('401 ACCESS_TOKEN_REQUIRED')
    expect(answer).toMatchObject({ status: 200, json: { accountId: expect.any(String) } })
  })

  /** What the page's `App` shows in turn while somebody logs in and out; `loggedIn` is on it in between. */
  async function useReact(code: string, loggedIn: string, origin = MAIN): Promise<string[]> {
    // Node knows no stylesheets; test/browser/react.test.ts shows it in a browser.
    await writeProgram('app', code.replace(/^import '.*\.css'$/m, ''))
    await writeProgram('browser-fetch', await readFile(join(SUPPORT, 'browser-fetch.ts'), 'utf8'))
    const program = await write('use-app.mjs', useApp)
    return (await node(program, origin, email, PASSWORD, loggedIn)).trim().split('\n')
  }

  it('pages 9: shows code that also runs where there is no storage, as in a build', async () => {
    await writeProgram('shared', await documentedCode('Pages that are rendered on a server'))
    const program = await write(
      'use-shared.mjs',
      `delete globalThis.localStorage
      const { client } = await import('./shared.mjs')
      console.log(client.state.status, await client.refresh(), client.state.status)`,
    )
    expect((await node(program)).trim()).toBe('unknown null loggedOut')
  })

  slow('shows a mobile app', async () => {
    await writeProgram('mobile', await documentedCode('Expo'))
    const program = await write('use-mobile.mjs', useMobile)
    const [withApp, withPasskey, withPasskeyAlone] = [
      await anOwner(app),
      await anOwner(app),
      await anOwner(app),
    ]
    await giveAuthenticator(app, withApp)
    for (const owner of [withPasskey, withPasskeyAlone])
      expect((await addPasskey(app, await provenSession(app, owner))).status).toBe(201)
    await spendCodes(app, withPasskeyAlone.id)
    const emails = [withApp, withPasskey, withPasskeyAlone].map(owner => owner.email)
    const shown = await node(program, email, PASSWORD, ...emails)
    const [wrong, locked, right, data, ...secondSteps] = shown.trim().split('\n')
    expect([wrong, right]).toEqual(['The e-mail address or the password is wrong', 'null'])
    expect(locked).toBe('Your phone could not store the login: unlock it, and try again')
    expect(secondSteps).toEqual([
      'asked for totp',
      'asked for recovery',
      'Make recovery codes on the main site',
    ])
    expect(JSON.parse(data as string)).toMatchObject({ permissions: { dataEntry: true } })
  })

  slow('shows the second step of a login', async () => {
    const owner = await anOwner(app)
    const phone = await giveAuthenticator(app, owner)
    await writeProgram('second-factor', await documentedCode('Second factors'))
    const program = await write('use-second-factor.mjs', useSecondFactor(url))
    const codes = [phone.wrongCode(), phone.code()]
    const [first, again, status] = (await node(program, owner.email, PASSWORD, ...codes)).trim().split('\n')
    expect([first, again, status]).toEqual(['Code?', 'This code is wrong', 'loggedIn'])
  })

  slow.each(['Fastify', 'Express', 'Nest'])('shows a backend on %s', async framework => {
    const { refused, answer } = await callBackend(framework, await documentedCode(framework))
    expect(outcome(refused)).toBe('401 ACCESS_TOKEN_REQUIRED')
    expect(answer).toMatchObject({ status: 200, json: { accountId: expect.any(String) } })
  })

  slow('embedding: works where Nest is another copy than that of the package', async () => {
    const copy = join(project.folder, 'node_modules/@mainstay-auth/verify/node_modules/@nestjs/common')
    await cp(join(ROOT, 'node_modules/@nestjs/common'), copy, { recursive: true })
    const { refused, answer } = await callBackend('Nest', await documentedCode('Nest'))
    await rm(copy, { recursive: true })
    // Its filter does not know our error as its own, and reads the status alone.
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(answer).toMatchObject({ status: 200, json: { accountId: expect.any(String) } })
  })

  /** What the backend of the page answers without a token, and with one. */
  async function callBackend(name: string, code: string) {
    const port = await freePort()
    const program = await writeProgram(name, code, port)
    const server = spawn(process.execPath, [program], { cwd: project.folder, stdio: 'inherit' })
    try {
      const { accessToken } = await signIn(app, { email: email as never }, 'satellite')
      const ask = (headers: Record<string, string>) =>
        request(`http://127.0.0.1:${port}`, { path: '/reports', headers })
      const refused = await eventually(() => ask({}), { what: 'the backend', timeoutMs: 20_000 })
      return { refused, answer: await ask(bearer(accessToken)) }
    } finally {
      server.kill()
    }
  }

  slow('embedding: shows Mainstay inside another program', async () => {
    await symlink(ROOT, join(project.folder, 'node_modules/mainstay-auth'))
    const hosts = ['Express', 'Fastify', 'Nest on Express', 'Nest on Fastify', 'plain node:http']
    const ports = await Promise.all(hosts.map(() => freePort()))
    // All in one process, which loads the packages once. Nest's package for Express has another name here (docs/decisions/mainstay-runs-inside-another-program.md).
    const programs = await Promise.all(
      hosts.map(async (host, index) => {
        const code = await documentedCode(`Mounted in ${host}`)
        const named = code.replace('@nestjs/platform-express', 'nest-platform-express')
        return writeProgram(`host-${index}`, named, ports[index])
      }),
    )
    const all = await write('hosts.mjs', programs.map(program => `await import('${program}')`).join('\n'))
    const settings = {
      ...app.stores,
      DATABASE_URL: 'postgres://the-program.invalid/its-own',
      MAINSTAY_DATABASE_URL: app.stores.DATABASE_URL,
      JWT_KEYS_FILE: app.settings.jwtKeysFile,
      LOG_LEVEL: 'warn',
      PUBLIC_URL: url,
      // Five of them load their packages in one process, on a machine that may be busy; outages are for test/faults.
      DATABASE_TIMEOUT_MS: '3000',
      SESSION_STORE_TIMEOUT_MS: '3000',
    }
    const env = { ...process.env, ...SETTINGS, ...settings }
    const server = spawn(process.execPath, [all], { cwd: project.folder, stdio: 'inherit', env })
    try {
      const { accessToken } = await signIn(app, { email: email as never }, 'satellite')
      for (const port of ports) {
        const ask = (call: TestRequest) => request(`http://127.0.0.1:${port}`, call)
        const data = { path: '/auth/api/data', headers: bearer(accessToken) }
        const answer = await eventually(() => ask(data), { what: 'the program', timeoutMs: PATIENCE_MS })
        expect(outcome(answer)).toBe('200')
        const own = await ask({ method: 'POST', path: '/own', body: { its: 'own' } })
        expect(JSON.parse(own.text)).toEqual({ its: 'own' })
      }
    } finally {
      // Only one of the hosts ends at SIGTERM, and the process with it if it were alone.
      server.kill('SIGKILL')
    }
  })

  slow('shows the plain function', async () => {
    await writeProgram('plain', await documentedCode('Anything else'))
    const { accessToken } = await signIn(app, { email: email as never }, 'satellite')
    const program = await write(
      'use-plain.mjs',
      `import { accountOf } from './plain.mjs'
      for (const token of process.argv.slice(2)) console.log(await accountOf(token))`,
    )
    const [account, status] = (await node(program, accessToken, 'a.b.c')).split('\n')
    expect([account?.length, status]).toEqual([36, '401'])
  })
})

const secureStore = `const items = new Map()
export const getItemAsync = async key => items.get(key) ?? null
export const setItemAsync = async (key, value) => {
  if (!/^[\\w.-]+$/.test(key)) throw new Error('Invalid key')
  if (globalThis.isLocked) throw new Error('User interaction is not allowed')
  items.set(key, value)
}
export const deleteItemAsync = async key => void items.delete(key)
export const AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY = 1
`

const secureStoreTypes = `interface SecureStoreOptions { keychainAccessible?: number }
export const AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: number
export function getItemAsync(key: string, options?: SecureStoreOptions): Promise<string | null>
export function setItemAsync(key: string, value: string, options?: SecureStoreOptions): Promise<void>
export function deleteItemAsync(key: string, options?: SecureStoreOptions): Promise<void>
`

const useMobile = `import { logIn, readReports } from './mobile.mjs'
const [, , email, password, ...emailsWithFactors] = process.argv
const askForCode = async (challenge, methods) => challenge && 'asked for ' + methods
console.log(await logIn(email, 'wrong', askForCode))
globalThis.isLocked = true
console.log(await logIn(email, password, askForCode))
globalThis.isLocked = false
console.log(await logIn(email, password, askForCode))
console.log(JSON.stringify(await readReports()))
for (const one of emailsWithFactors) console.log(await logIn(one, password, askForCode))
`

const useSecondFactor = (url: string) => `import { itemStorage, mobileClient } from '@mainstay-auth/client'
import { logIn } from './second-factor.mjs'
const [, , email, password, ...codes] = process.argv
const storage = itemStorage(() => undefined)
const client = mobileClient({ baseUrl: '${url}', storage })
await logIn(client, { email, password }, async problem => {
  console.log(problem || 'Code?')
  return codes.shift()
})
console.log(client.state.status)
process.exit(0)
`

/** Clicks its way through the page, and prints what it sees whenever that changes. */
const useApp = `import { createElement } from 'react'
import { act, create } from 'react-test-renderer'
import { browserFetch } from './browser-fetch.mjs'
globalThis.IS_REACT_ACT_ENVIRONMENT = true
const [, , origin, email, password, loggedIn] = process.argv
globalThis.fetch = browserFetch(origin, globalThis.fetch)
const { App } = await import('./app.mjs')
let root
act(() => { root = create(createElement(App)) })
print()
async function until(text) {
  while (!seen().includes(text)) await act(() => new Promise(done => setTimeout(done, 20)))
  print()
}
function seen() { return JSON.stringify(root.toJSON() ?? '') }
function print() { console.log(['One moment …', loggedIn, 'Log in'].find(text => seen().includes(text))) }
await until('Log in')
// A card says what it is before it knows how people log in.
while (!seen().includes('"form"')) await act(() => new Promise(done => setTimeout(done, 20)))
globalThis.FormData = class { constructor(fields) { this.get = name => fields[name] } }
const submitted = { preventDefault() {}, currentTarget: { email, password } }
await act(async () => { root.root.findByType('form').props.onSubmit(submitted) })
await until(loggedIn)
const isLogout = ({ type, props }) => type === 'button' && props.children === 'Log out'
await act(async () => { root.root.find(isLogout).props.onClick() })
await until('Log in')
process.exit(0)
`
