import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { request } from '../support/http-request.js'
import { createDatabase } from '../support/postgres/postgres-server.js'
import { freePort } from '../support/processes/free-port.js'
import { startRedis } from '../support/redis/redis-server.js'
import { Image } from './support/image/image.js'

const PATIENCE_MS = 240_000
/** As they were when this was written, and a tenth more. */
const MAX_PACKAGES = 245
const MAX_BYTES = 102_000_000
const EMAIL = 'owner@example.com'

describe('the image, made step by step as the Dockerfile says', () => {
  let image: Image
  let settings: Record<string, string>
  let url: string
  const cleanUp: (() => unknown)[] = []
  beforeAll(async () => {
    const [built, database, redis, port] = await Promise.all([
      Image.build(),
      createDatabase({ isEmpty: true }),
      startRedis(),
      freePort(),
    ])
    image = built.image
    cleanUp.push(
      built.remove,
      () => redis.stop(),
      () => database.drop(),
    )
    url = `http://127.0.0.1:${port}`
    settings = {
      ...{ PORT: String(port), DATABASE_URL: database.url, SESSION_STORE_URL: redis.url },
      ...{ PUBLIC_URL: 'https://api.main.test', MAIN_ORIGIN: 'https://www.main.test' },
      ...{ ALLOWED_ORIGINS: 'https://shop-one.test', PAGES: 'main,satellite', DRAIN_SECONDS: '0' },
      ...{ JWT_KEYS_FILE: '/keys/jwt-keys.json', SECRETS_KEYS_FILE: '/keys/secrets-keys.json' },
      ...{ STRIPE_PRICE_IDS: 'price_monthly', STRIPE_SECRET_KEY: 'sk_live_of_this_test_alone' },
      STRIPE_WEBHOOK_SECRET: 'whsec_of_this_test_alone',
    }
  }, PATIENCE_MS)
  afterAll(async () => {
    for (const step of cleanUp.reverse()) await step()
  })

  function cli(...args: string[]): Promise<string> {
    return image.run(['node', 'dist/src/cli.js', ...args], settings, ['/keys'])
  }

  it('has the packages of production alone, and no more than is written down', async () => {
    const app = join(image.root.folder, 'app')
    const { packages } = JSON.parse(await readFile(join(app, 'node_modules/.package-lock.json'), 'utf8'))
    const names = Object.keys(packages).filter(path => existsSync(join(app, path)))
    expect(names.length).toBeLessThan(MAX_PACKAGES)
    for (const name of ['drizzle-orm', 'smtp-server', 'pino-pretty', 'typescript', 'vite', 'react'])
      expect(names).not.toContain(`node_modules/${name}`)
    expect(await bytesIn(app)).toBeLessThan(MAX_BYTES)
  })

  it('finds its code compiled', async () => {
    const output = await image.run(['node', 'dist/src/cli.js', '--version'], {
      NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
    })
    expect(output.match(/code cache for ESM \S+ was accepted/g)?.length).toBeGreaterThan(10)
    expect(output).not.toContain('was not initialized')
  })

  it('makes its keys and an account, serves logins, a weak password’s fault and the pages, and changes no file', async () => {
    expect(image.user).toBe('node')
    await cli('keys:generate')
    await cli('secrets:generate')
    const password = /password:?\s+(\S+)/i.exec(await cli('account:create', '--email', EMAIL))?.[1]
    const service = image.start(image.command, settings)
    let output = ''
    for (const stream of [service.stdout, service.stderr])
      stream?.setEncoding('utf8').on('data', chunk => {
        output += chunk
      })
    const ended = once(service, 'close')
    try {
      const isReady = async () =>
        service.exitCode !== null || (await request(url, { path: '/health/ready' })).status === 200
      await eventually(isReady, { timeoutMs: 30_000, what: 'the service to be ready' }).catch(cause => {
        throw new Error(`It is not ready:\n${output}`, { cause })
      })
      const body = { email: EMAIL, password, source: 'main' }
      const login = await request(url, { method: 'POST', path: '/api/login', body })
      expect([login.status, login.text, output]).toEqual([
        200,
        expect.stringContaining('accessToken'),
        output,
      ])
      // A worker looks at it, which is a file of its own.
      const headers = {
        Origin: settings.MAIN_ORIGIN as string,
        Authorization: `Bearer ${login.json.accessToken}`,
        Cookie: login.setCookies.map(line => line.split(';')[0]).join('; '),
      }
      const send = (path: string, sent: object) =>
        request(url, { method: 'POST', path, headers, body: sent, timeoutMs: 30_000 })
      expect((await send('/api/reauthenticate', { password })).status).toBe(200)
      const weak = await send('/api/password/change', { currentPassword: password, password: 'password1' })
      expect([weak.status, weak.json.code]).toEqual([400, 'WEAK_PASSWORD'])
      for (const host of ['www.main.test', 'shop-one.test']) {
        const page = await request(url, { headers: { Host: host } })
        const script = /\/assets\/[\w.-]+\.js/.exec(page.text)?.[0] as string
        const loaded = await request(url, { path: script, headers: { Host: host } })
        expect([host, page.status, loaded.status]).toEqual([host, 200, 200])
      }
      await image.run(image.healthCheck, settings)
    } finally {
      service.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
  }, 90_000)

  it('traces requests with the packages that docs/operations/watching.md adds', async () => {
    const traced = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    await expect(image.run(image.command, traced)).rejects.toThrow('needs packages that are not installed')
    const [, dockerfile] = /```dockerfile\n(FROM mainstay\n[\s\S]*?)```/.exec(
      await readFile('docs/operations/watching.md', 'utf8'),
    ) as unknown as [string, string]
    const compiled = await bytesIn(join(image.root.folder, 'app/compiled'))
    await image.extend(dockerfile)
    expect(await bytesIn(join(image.root.folder, 'app/compiled'))).toBe(compiled)
    expect(image.user).toBe('node')
    const service = image.start(image.command, traced)
    const ended = once(service, 'close')
    try {
      const isReady = async () => (await request(url, { path: '/health/ready' })).status === 200
      await eventually(isReady, { timeoutMs: 30_000, what: 'the service to be ready' })
    } finally {
      service.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
  }, 120_000)

  it('does not start with pages that are not there, and says which', async () => {
    const folder = join(image.root.folder, 'app/web/dist/main')
    await rename(folder, `${folder}-gone`)
    const start = image.run(image.command, settings)
    await expect(start).rejects.toThrow('PAGES has main, but web/dist/main is not built')
  }, 30_000)
})

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const stats = await Promise.all(files.map(file => stat(file)))
  return stats.reduce((sum, { size }) => sum + size, 0)
}
