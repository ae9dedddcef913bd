import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { pack } from '../support/client/installed-package.js'
import { eventually } from '../support/eventually.js'
import { request } from '../support/http-request.js'
import { freePort } from '../support/processes/free-port.js'
import { BACKEND, EXPECTED_PACKAGES } from './support/expected-packages.js'
import { InstalledProject } from './support/installed-project.js'
import { InstalledService } from './support/installed-service.js'
import { typeFaults } from './support/type-check.js'

const run = promisify(execFile)
const ROOT = join(__dirname, '../..')
const PATIENCE_MS = 180_000
/** As it was when this was written, and a tenth more. */
const MAX_SERVICE_PACKAGES = 265
const MAX_SERVICE_BYTES = 13_500_000
const MAX_BYTES_WITH_ALL_PACKAGES = 250_000_000

let archives: Record<string, string>
beforeAll(async () => {
  const sources = Object.entries(EXPECTED_PACKAGES).map(([name, { source }]) => [name, source] as const)
  const packing = [...sources, ['mainstay-auth', '.'] as const].map(async ([name, source]) => {
    return [name, await pack(source)]
  })
  archives = Object.fromEntries(await Promise.all(packing))
}, PATIENCE_MS)

describe.each([...Object.keys(EXPECTED_PACKAGES), 'mainstay-auth'])('packages 4: the archive of %s', name => {
  it('is what npm, Node and TypeScript expect', async () => {
    const archive = await readFile(archives[name] as string)
    const tarball = archive.buffer.slice(
      archive.byteOffset,
      archive.byteOffset + archive.length,
    ) as ArrayBuffer
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
    expect(messages.map(message => formatMessage(message, pkg))).toEqual([])
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const checked = await run(process.execPath, [
      attw,
      archives[name] as string,
      '--profile',
      'esm-only',
    ]).catch(error => error)
    expect(checked.code ? checked.stdout : '').toBe('')
  })
})

describe.each(Object.entries(EXPECTED_PACKAGES))(
  'packages 4: %s, installed into an empty folder',
  (name, expected) => {
    let project: InstalledProject
    beforeAll(async () => {
      const names = [name, ...(expected.alongside ?? [])]
      project = await InstalledProject.with(...names.map(each => archives[each] as string))
    }, PATIENCE_MS)
    afterAll(() => project?.remove())

    it('brings no more than it says', async () => {
      expect(await project.packages()).toBe(expected.packages)
      expect(await project.bytes(name)).toBeLessThan(expected.maxBytes)
      for (const file of ['LICENSE', 'README.md'])
        expect(existsSync(join(project.folder, 'node_modules', name, file))).toBe(true)
    })

    it('has types that need nothing else', async () => {
      if (expected.compilerOptions.types?.includes('node')) await project.link('@types/node', 'undici-types')
      await project.write('consumer.ts', expected.consumer)
      expect(typeFaults(project.folder, 'consumer.ts', expected.compilerOptions)).toEqual([])
    })

    it('can be imported at each of its entry points', async () => {
      await project.link(...expected.peers)
      await project.write('consumer-of-peers.ts', expected.consumerOfPeers)
      const options = { ...expected.compilerOptions, skipLibCheck: true }
      expect(typeFaults(project.folder, 'consumer-of-peers.ts', options)).toEqual([])
      const { exports } = JSON.parse(await readFile(join(ROOT, expected.source, 'package.json'), 'utf8'))
      const entries = Object.keys(exports).filter(entry => !/\.(json|css)$/.test(entry))
      await project.write(
        'entries.js',
        `for (const entry of process.argv.slice(2)) console.log(Object.keys(await import(entry)).length > 0)`,
      )
      const printed = await project.run(
        'node',
        'entries.js',
        ...entries.map(entry => entry.replace('.', name)),
      )
      expect(printed.trim().split('\n')).toEqual(entries.map(() => 'true'))
    })

    it('has a README whose example runs', async () => {
      const readme = await readFile(join(project.folder, 'node_modules', name, 'README.md'), 'utf8')
      const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1] as string
      await project.write('example.ts', example)
      await project.write('example.js', example)
      if (expected.readme) expect(await project.run('node', 'example.js')).toMatch(expected.readme)
      else expect(typeFaults(project.folder, 'example.ts', expected.compilerOptions)).toEqual([])
    })
  },
)

/** Makes Node look like one without support. */
const NODE_20 = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`

describe('packages 4: mainstay-auth, installed into an empty folder', () => {
  let project: InstalledProject
  let url: string
  let ofService: Record<string, string>
  beforeAll(async () => {
    const names = ['mainstay-auth', '@mainstay-auth/verify', '@mainstay-auth/payment-sandbox']
    project = await InstalledProject.with(...names.map(name => archives[name] as string))
    const [port, satellite, payments, mails] = await Promise.all([1, 2, 3, 4].map(freePort))
    url = `http://localhost:${port}`
    ofService = {
      ...{ PORT: `${port}`, ALLOWED_ORIGINS: `http://127.0.0.1:${satellite}` },
      ...{ STRIPE_API_URL: `http://127.0.0.1:${payments}`, SMTP_URL: `smtp://127.0.0.1:${mails}` },
    }
  }, PATIENCE_MS)
  afterAll(() => project?.remove())

  it('brings what it needs to run and no more', async () => {
    expect(await project.packages()).toBeLessThan(MAX_SERVICE_PACKAGES)
    const lock = await readFile(join(project.folder, 'node_modules/.package-lock.json'), 'utf8')
    const installed = Object.entries(JSON.parse(lock).packages as Record<string, { hasInstallScript?: true }>)
    // Nothing runs, and so nothing can report, when it is installed.
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
    const ofDevelopment =
      /\/(@scarf|swagger-ui|@nestjs\/(swagger|cli|testing)|typescript|esbuild|vite|jest|@swc)\b/
    expect(installed.map(([path]) => path).filter(path => ofDevelopment.test(path))).toEqual([])
    expect(await project.bytes('mainstay-auth')).toBeLessThan(MAX_SERVICE_BYTES)
    expect(await project.bytes('.')).toBeLessThan(MAX_BYTES_WITH_ALL_PACKAGES)
    const { stdout } = await run('tar', ['-tf', archives['mainstay-auth'] as string])
    const odd = /test|bench|\.map$|(?<!\.d)\.ts$|\.tsx$|snapshot\.json$|production\.env$|jwt-keys/
    expect(stdout.split('\n').filter(path => odd.test(path))).toEqual([])
    expect(stdout).toContain('package/dev/runtime/package-lock.json')
  })

  it('embedding: has types for the program around it', async () => {
    await project.write(
      'consumer.ts',
      `import { createMainstay, type Mainstay, SettingsError } from 'mainstay-auth'
      export const start = (): Promise<Mainstay> => createMainstay({ ...process.env, PORT: 1, SIGN_UP: true }, { prefix: '/auth' })
      export const faults = (error: SettingsError): readonly string[] => error.faults
      // @ts-expect-error: there is no such setting.
      createMainstay({ MAIN_ORGIN: 'https://www.example.com' })`,
    )
    const options = { ...BACKEND, skipLibCheck: true }
    expect(typeFaults(project.folder, 'consumer.ts', options)).toEqual([])
  })

  it('does no operator’s work before it knows which installation is meant', async () => {
    for (const variables of [{}, { DATABASE_URL: 'postgres://127.0.0.1/production' }]) {
      const env = { ...project.environment(), ...variables }
      const started = run('npx', ['mainstay-auth', 'keys:generate'], { cwd: project.folder, env })
      const { code, stderr } = await started.catch(error => error)
      expect([code, stderr]).toEqual([2, expect.stringContaining('Set NODE_ENV: production for')])
    }
    expect(existsSync(join(project.folder, 'mainstay-data'))).toBe(false)
  })

  it('explains itself, and converts users, without an installation', async () => {
    const options = { cwd: project.folder, env: project.environment() }
    const { stdout } = await run('npx', ['mainstay-auth', '--help'], options)
    expect(stdout).toMatch(/^Usage: mainstay-auth /)
    const ofCommand = await run('npx', ['mainstay-auth', 'keys:rotate', '--help'], options)
    expect(ofCommand.stdout).toMatch(/^Usage: mainstay-auth keys:rotate /)
    const answered = await run('npx', ['mainstay-auth', '--version'], options)
    expect(answered.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const auth0 = join(ROOT, 'test/http/account/exports/auth0-users.jsonl')
    await run('npx', ['mainstay-auth', 'users:convert', 'auth0', auth0, '--out', 'users.jsonl'], options)
    expect(existsSync(join(project.folder, 'users.jsonl'))).toBe(true)
    expect(existsSync(join(project.folder, 'mainstay-data'))).toBe(false)
  })

  it('starts as npm start does, with its data in this folder, and stops on SIGTERM', async () => {
    const service = await InstalledService.start(project, url, ofService)
    const { status, text } = await request(url)
    expect([status, text]).toEqual([200, expect.stringContaining('<div id="app">')])
    const script = /assets\/[\w.-]+\.js/.exec(text)?.[0]
    expect((await request(url, { path: `/${script}` })).status).toBe(200)
    await eventually(() => service.output.includes('Log in as'), { what: 'its welcome' })
    expect(existsSync(join(project.folder, 'mainstay-data/database/pgdata'))).toBe(true)
    await service.end()
    expect(service.output).toContain('SIGTERM: stopping')
    await expect(request(url)).rejects.toThrow('ECONNREFUSED')
  })

  it('is the operators’ command line with arguments, and says that it works on the trial', async () => {
    const options = { cwd: project.folder, env: project.environment() }
    const { stderr } = await run('npx', ['mainstay-auth', 'keys:rotate'], options).catch(error => error)
    expect(stderr).toContain(
      'NODE_ENV is not set: this is about the trial in mainstay-data\nThe next key may be',
    )
  })

  it('is the service alone in production', async () => {
    const service = await InstalledService.start(project, url, {
      ...{ NODE_ENV: 'production', PORT: ofService.PORT as string, DRAIN_SECONDS: '0' },
      ...{ PUBLIC_URL: 'https://api.main.test', MAIN_ORIGIN: 'https://main.test' },
      ...{ ALLOWED_ORIGINS: 'https://main.test', JWT_KEYS_FILE: 'mainstay-data/jwt-keys.json' },
      SECRETS_KEYS_FILE: 'mainstay-data/secrets-keys.json',
      ...{ DATABASE_URL: 'pglite:production', STRIPE_PRICE_IDS: 'price_monthly' },
      STRIPE_SECRET_KEY: 'sk_live_of_this_test_alone',
      STRIPE_WEBHOOK_SECRET: 'whsec_of_this_test_alone',
    })
    const page = await request(url, { headers: { Accept: 'text/html' } })
    expect([page.status, page.json.code]).toEqual([404, 'NOT_FOUND'])
    await service.end()
    expect(service.output).not.toContain('Log in there')
  })

  it('says in one sentence that traces need packages of their own', async () => {
    const env = { ...project.environment(), ...ofService, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    const started = run('npx', ['mainstay-auth'], { cwd: project.folder, env, timeout: 60_000 })
    const { code, stderr } = await started.catch(error => error)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed'),
    ])
  }, 70_000)

  it('says in one sentence that a Node is too old where npm cannot bring another', async () => {
    const bin = join(project.folder, 'node_modules/.bin/mainstay-auth')
    const options = { env: { PATH: '/nowhere' }, timeout: 20_000 }
    const started = run(process.execPath, ['--import', NODE_20, bin], options)
    const { code, stderr } = await started.catch(error => error)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Mainstay needs Node 22.12 or newer/m)])
  })
})
