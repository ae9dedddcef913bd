import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createMainstay, type Mainstay, SettingsError } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { request, type TestRequest } from '../../support/http-request.js'
import { PASSWORD } from '../../support/people.js'
import { bearer, outcome } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'
import { type Host, listen } from './hosts.js'

const ORIGIN = 'http://localhost:4000'

describe('embedding: in development', () => {
  let folder: string
  let mainstay: Mainstay
  let host: Host
  const lines: { msg: string }[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mainstay-embedded-'))
    mainstay = await createMainstay(
      { NODE_ENV: 'development', DATA_DIR: folder, PORT: 4000 },
      { prefix: '/auth', log: { write: line => void lines.push(JSON.parse(line)) } },
    )
    host = await listen(createServer(mainstay.handler))
  })
  afterAll(async () => {
    await host.stop()
    await mainstay.close()
    await rm(folder, { recursive: true })
  })

  const post = (path: string, body: object, rest: TestRequest = {}) =>
    request(host.url, { method: 'POST', path: `/auth${path}`, headers: { Origin: ORIGIN }, body, ...rest })

  it('needs a folder alone: visitors sign up by a link that is logged, and log in', async () => {
    const email = 'first@example.com'
    expect((await post('/api/signup', { email, password: PASSWORD })).status).toBeLessThan(300)
    const logged = () => lines.find(({ msg }) => msg.startsWith(`Mail to ${email}`))?.msg ?? ''
    const msg = await eventually(logged, { what: 'the mail' })
    const [, token] = new RegExp(`${ORIGIN}/verify-email#token=(\\S+)`).exec(msg) as unknown as string[]
    expect((await post('/api/signup/verify', { token, password: PASSWORD })).status).toBeLessThan(300)
    const login = await post('/api/login', { email, password: PASSWORD, source: 'main' })
    expect(outcome(login)).toBe('200')
    expect(claimsOf(login.json.accessToken)).toMatchObject({ iss: `${ORIGIN}/auth`, source: 'main' })
    const plans = await request(host.url, {
      path: '/auth/api/plans',
      headers: { Origin: ORIGIN, ...bearer(login.json.accessToken) },
    })
    expect(outcome(plans)).toBe('403 PAYMENTS_OFF')
    expect((await readdir(folder)).sort()).toEqual(['database', 'jwt-keys.json', 'secrets-keys.json'])
  })

  it('is not what is meant without a word: that is production, which needs its settings', async () => {
    const faults = await createMainstay({ DATA_DIR: folder }).catch((error: SettingsError) => error.faults)
    expect(faults).toEqual([
      ...[
        'PUBLIC_URL',
        'MAIN_ORIGIN',
        'ALLOWED_ORIGINS',
        'DATABASE_URL',
        'JWT_KEYS_FILE',
        'SECRETS_KEYS_FILE',
      ].map(name => `${name} is missing`),
      "NODE_ENV is not given, which means production: 'development' needs none of these",
    ])
  })
})
