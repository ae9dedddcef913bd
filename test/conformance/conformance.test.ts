import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { onServers } from '../support/tiers.js'
import { type Case, readCases } from './case.js'
import { Cast } from './cast.js'
import { runCase } from './run-case.js'
import { secretsKeptBy } from './service/leaked-secrets.js'
import { Service } from './service/service.js'
import { forgedTokens } from './values/forge-jwt.js'

/** The cases that are not run here, each with the reason. */
const LATER: Readonly<Record<string, string>> = {
  'REV-07': 'test/faults lets a Redis master die',
}

/** Begun at once with the others, as it only waits: the service gives a request 15 s to arrive. */
const SLOW: ReadonlySet<string> = new Set(['HTTP-12'])

const cases = readCases()
const ran = new Set<string>()
let service: Service

beforeAll(async () => {
  service = await Service.start()
}, 60_000)

afterAll(async () => {
  process.stdout.write(`${summary()}\n`)
  await service?.stop()
})

onServers.describe('conformance', () => {
  for (const one of cases.filter(({ id }) => !(id in LATER))) {
    const start = SLOW.has(one.id) ? it.concurrent : it
    start(nameOf(one), async () => {
      ran.add(one.id)
      await runCase(one, service)
    })
  }

  it('runs every case once, or says why not', () => {
    const ids = cases.map(({ id }) => id)
    expect([...ran, ...Object.keys(LATER)].sort()).toEqual([...ids].sort())
  })

  it('LCT-21 holds for a body that closes its brackets too', async () => {
    const body = `{"email":${'['.repeat(7_000)}${']'.repeat(7_000)}}`
    const headers = { 'Content-Type': 'application/json' }
    const { status } = await service.request({ method: 'POST', path: '/api/login', headers, body })
    expect(status).toBe(400)
  })

  it('forges tokens that are valid but for the deviation', async () => {
    const { accessToken } = await new Cast(service).session('U1', 'satellite')
    const [copy] = await forgedTokens({ sign: 'server' }, accessToken, service.settings.jwtKeysFile)
    const { status } = await service.request({
      path: '/api/data',
      headers: { Authorization: `Bearer ${copy}` },
    })
    expect(status).toBe(200)
  })

  it('left no secret in the log or the audit log', async () => {
    expect(service.secrets.size).toBeGreaterThan(100)
    expect(await secretsKeptBy(service)).toEqual([])
  })
})

function nameOf({ id, note, precondition }: Case): string {
  return `${id} ${note ?? precondition}`
}

function summary(): string {
  const later = Object.keys(LATER)
  return `conformance: ${ran.size} of ${cases.length} cases ran, ${later.length} left for later: ${later.join(' ')}`
}
