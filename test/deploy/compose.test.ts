import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { ALL_SETTINGS, readSettings } from '../sources.js'

const run = promisify(execFile)
const OURS = ['api-1', 'api-2', 'cli']
/** What an operator has to find out elsewhere. */
const FILLED_IN = {
  STRIPE_PRICE_IDS: 'price_monthly',
  STRIPE_SECRET_KEY: 'sk_live_of_this_test_alone',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_this_test_alone',
  SMTP_URL: 'smtps://mail.test:465',
}

// biome-ignore lint/suspicious/noExplicitAny: what docker-compose makes of the file.
type Composition = any

describe('deploy/compose, filled in as its README says', () => {
  let folder: string
  let composition: Composition
  let example: Record<string, string>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mainstay-compose-'))
    await cp('deploy/compose', folder, { recursive: true })
    await cp(join(folder, '.env.example'), join(folder, '.env'))
    const text = await readFile(join(folder, 'secrets/production.env.example'), 'utf8')
    example = parseEnv(text.replaceAll(/<[^>@]*>/g, 'password')) as Record<string, string>
    const { stdout } = await run('docker-compose', ['--profile', 'tools', 'config'], { cwd: folder })
    composition = parse(stdout)
  }, 60_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is a composition for docker-compose, and its Caddyfile one for Caddy', async () => {
    expect(Object.keys(composition.services).sort()).toEqual([...OURS, 'caddy', 'postgres', 'redis'].sort())
    const env = { ...process.env, ...parseEnv(await readFile(join(folder, '.env'), 'utf8')) }
    const caddyfile = ['--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
    const { stdout, stderr } = await run('caddy', ['validate', ...caddyfile], { env })
    expect(stdout + stderr).toContain('Valid configuration')
    const adapted = await run('caddy', ['adapt', ...caddyfile], { env })
    for (const name of ['API_HOST', 'MAIN_HOST']) expect(adapted.stdout).toContain(`"${env[name]}"`)
    expect(adapted.stdout).toContain('"shop-two.example.org"')
  })

  it('lets Caddy reach the API by the addresses of TRUST_PROXY alone', () => {
    const networksOf = (service: string) => Object.keys(composition.services[service].networks)
    for (const api of ['api-1', 'api-2'])
      expect(networksOf(api).filter(name => networksOf('caddy').includes(name))).toEqual(['edge'])
    const [{ subnet }] = composition.networks.edge.ipam.config
    expect(composition.services['api-1'].environment.TRUST_PROXY).toBe(subnet)
  })

  it('has every required setting, and no name that is not a setting', async () => {
    const names = new Set(ALL_SETTINGS.map(({ name }) => name))
    for (const service of OURS) {
      const { environment } = composition.services[service]
      const given = [...Object.keys(environment), ...Object.keys(example)]
      expect(given.filter(name => !names.has(name))).toEqual([])
      const lines = Object.entries(example).map(([name, value]) => {
        return `${name}=${value || (FILLED_IN[name as keyof typeof FILLED_IN] ?? '')}`
      })
      await writeFile(join(folder, 'production.env'), lines.join('\n'))
      expect(readSettings(environment, folder)).toMatchObject({
        environment: 'production',
        pages: ['main', 'satellite'],
        trustProxy: [composition.networks.edge.ipam.config[0].subnet],
      })
    }
  })

  it('leaves the API time to drain', () => {
    for (const service of ['api-1', 'api-2']) {
      const { environment, stop_grace_period: grace } = composition.services[service]
      expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(Number(environment.DRAIN_SECONDS) + 12)
    }
  })

  it('replaces the second instance only when the first is healthy', async () => {
    const readme = await readFile(join(folder, 'README.md'), 'utf8')
    const replacements = readme.match(/^.*--force-recreate.*$/gm) ?? []
    expect(replacements.map(line => line.match(/api-\d( &&)?$/)?.[0])).toEqual(['api-1 &&', 'api-2'])
    for (const line of replacements) expect(line).toContain('up --detach --wait --wait-timeout 120 ')
  })

  it('shows secrets in no environment, and the stores to the API alone', () => {
    const secrets = ALL_SETTINGS.filter(({ isSecret }) => isSecret).map(({ name }) => name)
    for (const [name, service] of Object.entries<Composition>(composition.services)) {
      const { environment = {}, networks, ports = [] } = service
      expect(Object.keys(environment).filter(key => secrets.includes(key))).toEqual([])
      expect([name, ports.length > 0]).toEqual([name, name === 'caddy'])
      const isByStores = Object.keys(networks).includes('stores')
      expect([name, isByStores]).toEqual([name, name !== 'caddy'])
    }
    expect(composition.networks.stores.internal).toBe(true)
    for (const name of ['postgres', 'redis'])
      expect(Object.keys(composition.services[name].networks)).toEqual(['stores'])
  })

  it('lets the API write nowhere, and only the command line change the keys', () => {
    for (const name of OURS) {
      const { read_only: isReadOnly, cap_drop: dropped, volumes } = composition.services[name]
      expect([isReadOnly, dropped]).toEqual([true, ['ALL']])
      expect(JSON.stringify(volumes).includes('keys:/keys:ro')).toBe(name !== 'cli')
      expect(JSON.stringify(volumes)).toContain('/files:/files:ro')
    }
  })

  it('runs Redis as the service wants it', async () => {
    const conf = await readFile(join(folder, 'secrets/redis.conf.example'), 'utf8')
    expect(conf).toMatch(/^maxmemory-policy allkeys-lru$/m)
    expect(conf).toMatch(/^maxmemory \d+mb$/m)
  })
})
