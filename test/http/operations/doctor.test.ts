import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import {
  ask,
  createStripe,
  type Finding,
  generateKeys,
  generateSecretKeys,
  loadSecretKeys,
  PaymentSandbox,
  rotateKeys,
  rotateSecretKeys,
  trusting,
} from '../../sources.js'
import { DnsServer } from '../../support/dns-server.js'
import { eventually } from '../../support/eventually.js'
import { type CertificateAndKey, makeServerCertificate } from '../../support/operations/certificates.js'
import { type AnswerChange, HttpsProxy } from '../../support/operations/https-proxy.js'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { SHOP_ONE, TestApp } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { anEvent, postEvent } from '../support/signed-event.js'

const API = 'https://api.main.test'
const WEBHOOK = `${API}/api/webhooks/stripe`

let folder: string
let postgres: PostgresServer
let redis: RedisServer
let dns: DnsServer
let app: TestApp
let proxy: HttpsProxy
let certificate: CertificateAndKey
let caFile: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-doctor-'))
  ;[postgres, redis, dns, certificate] = await Promise.all([
    startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } }),
    startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] }),
    DnsServer.start(),
    makeServerCertificate(folder, ['api.main.test']),
  ])
  app = await TestApp.start({
    DATABASE_URL: postgres.url,
    SESSION_STORE_URL: redis.url,
  })
  app.sandbox.webhookUrl = WEBHOOK
  proxy = await HttpsProxy.start(app.url, certificate)
  caFile = join(folder, 'certificate.pem')
})
afterAll(async () => {
  await proxy.stop()
  await app.stop()
  await Promise.all([postgres.stop(), redis.stop(), dns.stop(), rm(folder, { recursive: true })])
})
afterEach(() => {
  proxy.change = () => {}
  proxy.backends = [app.url]
})

/** The settings of the service, as an operator has them. */
function installation(): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATA_DIR: app.settings.dataDir,
    DATABASE_URL: postgres.url.replace('postgres@', 'postgres:pass-of-postgres@'),
    SESSION_STORE_URL: redis.url.replace('//', '//default:pass-of-redis@'),
    STRIPE_API_URL: app.sandbox.url,
    SMTP_URL: app.outbox.smtpUrl,
    MAIL_FROM: 'Mainstay <no-reply@main.test>',
    DNS_SERVERS: dns.address,
  }
}

interface Examined {
  readonly code: number | null
  readonly findings: Finding[]
  readonly output: string
}

async function doctor(settings: Record<string, string> = {}, ...args: string[]): Promise<Examined> {
  const asked = [API, '--at', proxy.url, '--ca', caFile, ...args]
  return examineWith({ ...installation(), ...settings }, ...asked)
}

async function examineWith(settings: Record<string, string>, ...args: string[]): Promise<Examined> {
  const { code, output, errors } = await runInProcess(['doctor', '--json', ...args], settings)
  return { code, findings: JSON.parse(output), output: output + errors }
}

/** Those that somebody has to look at. */
function found({ findings }: Examined, status: Finding['status'] = 'fault'): string[] {
  return findings.filter(finding => finding.status === status).map(({ check }) => check)
}

async function onDatabase(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

describe('doctor of a healthy installation', () => {
  onServers('finds no fault and exits with 0', async () => {
    const examined = await doctor()
    expect(examined.findings.filter(({ status }) => status === 'fault')).toEqual([])
    expect(found(examined, 'warning')).toEqual([])
    expect(examined.code).toBe(0)
    expect(found(examined, 'ok')).toEqual(
      expect.arrayContaining([
        ...['settings', 'keys.signing', 'keys.secrets', 'keys.sealed', 'keys.published', 'keys.agreement'],
        ...['clock.database', 'clock.redis', 'clock.service', 'disk', 'mail', 'cookie', 'cookie.site'],
        ...['database.version', 'database.synchronous-commit', 'database.fsync', 'database.schema'],
        ...['database.size', 'database.cleanup', 'database.vacuum', 'audit.seals', 'satellites.proofs'],
        ...['redis.version', 'redis.policy', 'redis.memory', 'redis.role'],
        ...['https.certificate', 'https.hsts', 'cors.preflight', 'cors.strangers', 'cors.vary'],
        ...['payments.prices', 'payments.webhook', 'payments.deliveries', 'payments.portal'],
        'settings.passkeys',
      ]),
    )
  })

  slow('says it in lines, the summary last', async () => {
    const { code, output } = await runInProcess(
      ['doctor', API, '--at', proxy.url, '--ca', caFile],
      installation(),
    )
    expect(code).toBe(0)
    const lines = output.trim().split('\n')
    expect(lines.at(-1)).toMatch(/^0 faults, 0 warnings, 0 skipped, \d+ ok$/)
    expect(lines.slice(0, -1).every(line => line.startsWith('ok '))).toBe(true)
  })

  slow('changes nothing but the log of refused origins', async () => {
    const state = () =>
      onDatabase(`select (select count(*) from session_changes) as changes,
        (select count(*) from audit_log where action <> 'origin') as rows, (select count(*) from users) as users`)
    const before = [await state(), await redisCli(redis.port, 'DBSIZE')]
    await doctor()
    await app.auditRows()
    expect([await state(), await redisCli(redis.port, 'DBSIZE')]).toEqual(before)
  })

  slowOnServers('without an origin looks at the installation alone', async () => {
    const examined = await examineWith(installation())
    expect(examined.code).toBe(0)
    expect(found(examined, 'skipped')).toEqual(['service'])
  })
})

describe('doctor when everything is down', () => {
  const DOWN = {
    DATABASE_URL: 'postgres://mainstay:pass-of%2Fpostgres@127.0.0.1:9/mainstay',
    SESSION_STORE_URL: 'redis://mainstay:pass-of-redis@127.0.0.1:9',
    STRIPE_API_URL: 'http://127.0.0.1:9',
    STRIPE_SECRET_KEY: 'sk_test_secret_of_the_provider',
    STRIPE_WEBHOOK_SECRET: 'whsec_secret_of_the_webhook,whsec_another_of_the_webhook',
    SMTP_URL: 'smtp://mainstay:pass-of-mail@127.0.0.2:9',
  }
  const SECRETS =
    /pass-of|sk_test_secret|whsec_|secret_of_the|another_of_the|pass-of%2Fpostgres|pass-of\/postgres/

  slow('names every part, says what to do, exits with 1, and shows no secret', async () => {
    const examined = await examineWith({ ...installation(), ...DOWN }, 'http://127.0.0.1:9')
    expect(examined.code).toBe(1)
    expect(found(examined)).toEqual([
      ...['database.connection', 'redis.connection', 'mail'],
      ...['payments.prices', 'payments.webhook', 'payments.deliveries', 'payments.portal'],
      'service.answer',
    ])
    for (const { status, todo } of examined.findings) if (status === 'fault') expect(todo).toMatch(/\w/)
    expect(examined.output).not.toMatch(SECRETS)
  })

  onServers('names every fault of settings that cannot be used, and shows no secret', async () => {
    const examined = await examineWith({
      ...installation(),
      ...DOWN,
      PUBLIC_URL: 'ftp://pass-of-nobody',
      MAX_CONNECTIONS: 'many',
      SMTP_URL: 'smtp://mainstay:pass-of-mail@127.0.0.2:9?tls=maybe',
    })
    expect(examined.code).toBe(1)
    expect(found(examined)).toEqual(['settings', 'settings', 'settings'])
    expect(examined.output.replace('pass-of-nobody', '')).not.toMatch(SECRETS)
  })

  slow(
    'warns of satellites that get the cookie of the main site, or are within the domain of its passkeys (S3)',
    async () => {
      const hosts = { MAIN_ORIGIN: 'https://www.main.test', PUBLIC_URL: 'https://api.main.test' }
      const satellites = 'https://shop.main.test,https://main.test,https://ain.test,https://shop.test'
      const domains = { COOKIE_DOMAIN: 'main.test', PASSKEY_RP_ID: 'main.test' }
      const own = { PASSKEY_RELATED_ORIGINS: 'https://main.test' }
      const { findings } = await doctor({ ...hosts, ...domains, ...own, ALLOWED_ORIGINS: satellites })
      const warnings = findings.filter(({ status, check }) => status === 'warning' && check === 'settings')
      expect(warnings.map(({ saw }) => saw.split(' ')[0])).toEqual([
        'https://shop.main.test',
        'https://main.test',
        // Within the domain of passkeys, and not one of our own.
        'https://shop.main.test',
      ])
    },
  )

  slowOnServers('shows no part of a key file that cannot be read', async () => {
    const file = join(folder, 'broken-keys.json')
    await writeFile(file, '{"keys":[{"kid":"a","jwk":{"d":secret-of-the-key')
    await chmod(file, 0o600)
    const { findings, output, code } = await doctor({ JWT_KEYS_FILE: file, SECRETS_KEYS_FILE: file })
    expect(code).toBe(1)
    expect(findings.filter(({ check }) => check === 'keys.signing')).toEqual([
      expect.objectContaining({
        status: 'fault',
        saw: `JWT_KEYS_FILE ${file} cannot be used: it is not JSON`,
      }),
    ])
    expect(output).not.toContain('secret-of')
  })
})

slow.describe('doctor and the stores', () => {
  slow('a Redis that does not evict, and one that is full', async () => {
    await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory', '1mb')
    try {
      const examined = await doctor()
      expect(found(examined, 'warning')).toEqual(['redis.policy', 'redis.memory'])
      expect(examined.code).toBe(0)
    } finally {
      await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory', '0')
      await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    }
  })

  slow('a Redis that is a replica', async () => {
    const replica = await startRedis({
      args: ['--replicaof', `127.0.0.1 ${redis.port}`, '--maxmemory-policy', 'allkeys-lru'],
    })
    try {
      const examined = await examineWith({ ...installation(), SESSION_STORE_URL: replica.url })
      expect(found(examined)).toEqual(['redis.role'])
    } finally {
      await replica.stop()
    }
  })

  slow('a Redis behind sentinels', async () => {
    const group = await startRedisSentinel({ sentinels: 1 })
    try {
      const examined = await examineWith({ ...installation(), SESSION_STORE_URL: group.url })
      expect(found(examined)).toEqual([])
      expect(found(examined, 'ok')).toContain('redis.role')
    } finally {
      await group.stop()
    }
  })

  slow('a PostgreSQL with synchronous_commit off', async () => {
    await onDatabase('alter database postgres set synchronous_commit = off')
    try {
      const examined = await doctor()
      expect(found(examined)).toEqual(['database.synchronous-commit'])
      expect(examined.code).toBe(1)
    } finally {
      await onDatabase('alter database postgres reset synchronous_commit')
    }
  })

  slow(
    'no fault in a PostgreSQL that writes values in its own way, but names what differs (W1)',
    async () => {
      await onDatabase(`alter database postgres set datestyle = 'German, DMY'`)
      try {
        const examined = await doctor()
        expect(found(examined)).toEqual([])
        expect(examined.findings).toContainEqual({
          check: 'database.session',
          status: 'ok',
          saw: 'DateStyle is German, DMY; the service sets its own',
        })
      } finally {
        await onDatabase('alter database postgres reset datestyle')
      }
    },
  )

  onServers('a PostgreSQL that a crash of its machine would break, with an empty database', async () => {
    const url = process.env.TEST_POSTGRES_URL as string
    const examined = await doctor({ DATABASE_URL: url })
    expect(found(examined)).toEqual(['database.fsync'])
    expect(found(examined, 'warning')).toEqual(['database.schema'])
  })

  slow('a user who may not read the tables', async () => {
    await onDatabase('create role stranger login')
    try {
      const examined = await doctor({ DATABASE_URL: postgres.url.replace('postgres@', 'stranger@') })
      expect(examined.findings).toContainEqual(
        expect.objectContaining({
          check: 'database.schema',
          status: 'fault',
          todo: 'Give the user of DATABASE_URL the right to read its own tables',
        }),
      )
      expect(found(examined, 'ok')).toContain('database.connection')
    } finally {
      await onDatabase('drop role stranger')
    }
  })

  slow('the connections of all roles, whoever counts them', async () => {
    await onDatabase('create role stranger login')
    const others = Array.from({ length: 5 }, () => new pg.Client({ connectionString: postgres.url }))
    try {
      await Promise.all(others.map(client => client.connect()))
      const { findings } = await doctor({ DATABASE_URL: postgres.url.replace('postgres@', 'stranger@') })
      const { saw = '' } = findings.find(({ check }) => check === 'database.connections') ?? {}
      expect(Number(/^(\d+) of \d+ connections are in use/.exec(saw)?.[1])).toBeGreaterThan(5)
    } finally {
      await Promise.all(others.map(client => client.end()))
      await onDatabase('drop role stranger')
    }
  })

  slow('tables whose cleanup does not run', async () => {
    await onDatabase(`insert into session_links (child_sid, parent_sid, user_id, origin, expires_at)
      select 'expired ' || n, 'parent', gen_random_uuid(), 'https://shop.test', now() - interval '2 days'
      from generate_series(1, 1000) n`)
    expect(found(await doctor(), 'warning')).toEqual(['database.cleanup'])
    await onDatabase(`delete from session_links where child_sid like 'expired %'`)
  })
})

slow.describe('doctor and keys', () => {
  slow('a key file that everybody can read', async () => {
    const file = join(folder, 'open-keys.json')
    await generateKeys(file, new Date())
    await chmod(file, 0o644)
    // It has other keys than the service, too.
    expect(found(await doctor({ JWT_KEYS_FILE: file }))).toEqual(['keys.signing', 'keys.agreement'])
  })

  slow('a key that is old, and one from the future', async () => {
    const old = join(folder, 'old-keys.json')
    await generateKeys(old, new Date(Date.now() - 200 * 86_400_000))
    expect(found(await examineWith({ ...installation(), JWT_KEYS_FILE: old }), 'warning')).toEqual([
      'keys.signing',
    ])
    await rotateKeys(old, new Date(), 900)
    expect(found(await examineWith({ ...installation(), JWT_KEYS_FILE: old }), 'warning')).toEqual([])
    const ahead = join(folder, 'keys-from-the-future.json')
    await generateKeys(ahead, new Date(Date.now() + 86_400_000))
    expect(found(await examineWith({ ...installation(), JWT_KEYS_FILE: ahead }))).toEqual(['keys.signing'])
  })

  slow('a secret that is encrypted with a key of another replica', async () => {
    const [owner] = await onDatabase(
      `with account as (insert into accounts (id, created_at) values (gen_random_uuid(), now()) returning id)
       insert into users (id, account_id, email, role, granted, created_at)
       select gen_random_uuid(), id, 'sealed@main.test', 'owner', '{}', now() from account returning id`,
    )
    await onDatabase(
      `insert into totp_factors (user_id, secret, created_at) values ($1, 'otherkey.sealed', now())`,
      [owner?.id],
    )
    await sealedWithAnotherKey('totp_factors')
  })

  slow('passkeys of another domain than that of the settings', async () => {
    await onDatabase(
      `with account as (insert into accounts (id, created_at) values (gen_random_uuid(), now()) returning id),
       owner as (insert into users (id, account_id, email, role, granted, created_at)
       select gen_random_uuid(), id, 'passkey@main.test', 'owner', '{}', now() from account returning id)
       insert into passkeys (id, user_id, rp_id, credential_id, public_key, counter, transports, is_backup_eligible,
         is_backed_up, aaguid, name, created_at)
       select gen_random_uuid(), id, 'old.test', 'credential', 'key', 0, '{}', false, false, gen_random_uuid(), '', now()
       from owner`,
    )
    const examined = await doctor()
    await onDatabase('delete from passkeys')
    expect(found(examined)).toEqual(['settings.passkeys'])
    expect(examined.output).toContain('Set PASSKEY_RP_ID=old.test')
  })

  slow(
    'an operator, and a mail that failed, whose secret is encrypted with a key of another replica',
    async () => {
      await onDatabase(
        `insert into operators (id, email, password_hash, totp_secret, created_at)
       values (gen_random_uuid(), 'operator@main.test', '', 'otherkey.sealed', now())`,
      )
      await sealedWithAnotherKey('operators')
      await onDatabase(
        `insert into failed_mails (id, sealed, failed_at, expires_at, last_error, is_refused)
       values (gen_random_uuid(), 'otherkey.sealed', now(), now() + interval '1 day', '', false)`,
      )
      await sealedWithAnotherKey('failed_mails')
    },
  )

  onServers('an operator whose secret is encrypted with a key that has been retired', async () => {
    const file = join(folder, 'rotated-secrets.json')
    await generateSecretKeys(file, new Date(Date.now() - 3_600_000))
    await rotateSecretKeys(file, new Date())
    const retired = (await loadSecretKeys(file)).find(({ state }) => state === 'retired')?.kid
    await onDatabase(
      `insert into operators (id, email, password_hash, totp_secret, created_at)
       values (gen_random_uuid(), 'operator@main.test', '', $1, now())`,
      [`${retired}.sealed`],
    )
    const examined = await doctor({ SECRETS_KEYS_FILE: file })
    await onDatabase('delete from operators')
    expect(found(examined)).toEqual([])
    expect(examined.findings).toContainEqual(
      expect.objectContaining({ check: 'keys.sealed', status: 'warning', todo: 'Run secrets:reseal' }),
    )
  })

  /** The fault that the one row of the table is. Removes the row. */
  async function sealedWithAnotherKey(table: string): Promise<void> {
    const examined = await doctor()
    await onDatabase(`delete from ${table}`)
    expect(found(examined)).toEqual(['keys.sealed'])
    const finding = examined.findings.find(({ check }) => check === 'keys.sealed')
    expect(finding?.saw).toMatch(/^1 secrets are encrypted with the key otherkey, which/)
  }

  slow('a replica with other keys, behind the balancer or named', async () => {
    const other = await TestApp.start({ ...app.stores })
    try {
      expect(found(await doctor({}, '--replica', other.url))).toEqual(['keys.agreement'])
      expect(found(await doctor({}, '--replica', app.url))).toEqual([])
      proxy.backends = [app.url, other.url]
      expect(found(await doctor())).toContain('keys.agreement')
    } finally {
      await other.stop()
    }
  })

  slow('a replica that publishes these keys, and answers nothing else', async () => {
    const keys = await app.request({ path: '/.well-known/jwks.json' })
    const broken = createServer(({ url }, response) => {
      const isOfKeys = url?.includes('jwks')
      response.writeHead(isOfKeys ? 200 : 503).end(isOfKeys ? keys.text : '')
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    try {
      const { port } = broken.address() as AddressInfo
      const examined = await doctor({}, '--replica', `http://127.0.0.1:${port}`)
      expect(found(examined)).toEqual(['keys.agreement'])
      expect(examined.output).toContain('answers 503 to a token')
    } finally {
      broken.close()
    }
  })

  slow('a service that signs for another issuer', async () => {
    expect(found(await doctor({ JWT_ISSUER: 'https://other.test' }))).toEqual(['keys.agreement'])
  })
})

slow.describe('doctor and what is in front of the service', () => {
  const cookie: (edit: (text: string) => string) => AnswerChange = edit => headers => {
    const lines = headers['set-cookie'] as string[] | undefined
    if (lines) headers['set-cookie'] = lines.map(edit)
  }
  const vary: AnswerChange = headers => delete headers.vary
  const hsts: AnswerChange = headers => delete headers['strict-transport-security']
  const asterisk: AnswerChange = headers => {
    headers['access-control-allow-origin'] = '*'
  }
  const whoeverAsks: AnswerChange = (headers, { headers: asked }) => {
    if (asked.origin) headers['access-control-allow-origin'] = asked.origin
  }
  const noSessionHeader: AnswerChange = headers => {
    if (headers['access-control-allow-headers'])
      headers['access-control-allow-headers'] = 'Content-Type, Authorization'
  }
  const ownClock: AnswerChange = headers => {
    headers.date = new Date(Date.now() - 60_000).toUTCString()
  }
  const keysFor: (cacheControl: string) => AnswerChange =
    cacheControl =>
    (headers, { url }) => {
      if (url?.includes('jwks')) headers['cache-control'] = cacheControl
    }
  const lostCookie: AnswerChange = headers => delete headers['set-cookie']
  // Several at once where none hides another.
  const changes: [string, AnswerChange[], string[]][] = [
    ['drops Vary and HSTS', [vary, hsts], ['cors.vary', 'https.hsts']],
    [
      'answers CORS with an asterisk, and takes HttpOnly away',
      [asterisk, cookie(text => text.replace(/; HttpOnly/i, ''))],
      ['cors.strangers', 'cookie'],
    ],
    [
      'allows whoever asks, and takes Secure away',
      [whoeverAsks, cookie(text => text.replace(/; Secure/i, ''))],
      ['cors.strangers', 'cookie'],
    ],
    [
      'knows no X-Session-ID, and sends SameSite=None',
      [noSessionHeader, cookie(text => text.replace(/SameSite=Lax/i, 'SameSite=None'))],
      ['cors.preflight', 'cookie'],
    ],
    [
      'has a clock of its own, and sets a domain of its own',
      [ownClock, cookie(text => text.replace('main.test', 'other.test'))],
      ['clock.service', 'cookie'],
    ],
    [
      'keeps the keys for a day, and sets the cookie of a whole suffix',
      [keysFor('public, max-age=86400'), cookie(text => text.replace('main.test', 'test'))],
      ['keys.cache', 'cookie'],
    ],
    [
      'has shared caches keep the keys for a day, and loses the cookie',
      [keysFor('public, max-age=60, s-maxage=86400'), lostCookie],
      ['keys.cache', 'cookie'],
    ],
  ]
  slow.each(changes)('a proxy that %s', async (_, all, checks) => {
    proxy.change = (headers, request) => {
      for (const change of all) change(headers, request)
    }
    const examined = await doctor()
    expect(found(examined)).toEqual(expect.arrayContaining(checks))
    expect(examined.code).toBe(1)
  })

  slow('a proxy with an expired certificate, or with one that nobody has signed', async () => {
    const other = await mkdtemp(join(tmpdir(), 'mainstay-certificate-'))
    try {
      const expired = await makeServerCertificate(other, ['api.main.test'], { isExpired: true })
      proxy.certificate = expired
      const examined = await doctor({}, '--ca', join(other, 'certificate.pem'))
      expect(found(examined)).toEqual(['https.certificate'])
      expect(examined.findings.find(({ check }) => check === 'https.certificate')?.saw).toMatch(/expired/)
      // Nothing is sent there that opens anything.
      expect(found(examined, 'skipped')).toEqual(['cookie'])
      expect(examined.code).toBe(1)

      proxy.certificate = await makeServerCertificate(other, ['api.main.test'])
      expect(found(await doctor())).toEqual(['https.certificate'])
    } finally {
      proxy.certificate = certificate
      await rm(other, { recursive: true })
    }
  })

  slow('a certificate that others have signed than those of --ca is trusted as usual', async () => {
    const other = await mkdtemp(join(tmpdir(), 'mainstay-certificate-'))
    const trusted = getCACertificates()
    try {
      await makeServerCertificate(other, ['replica.main.test'])
      setDefaultCACertificates([...trusted, await readFile(caFile, 'utf8')])
      expect(found(await doctor({}, '--ca', join(other, 'certificate.pem')))).toEqual([])
    } finally {
      setDefaultCACertificates(trusted)
      await rm(other, { recursive: true })
    }
  })

  onServers('a name that was mistyped, to which no token goes', async () => {
    const tokens: unknown[] = []
    const stranger = createServer((request, response) => {
      tokens.push(request.headers.authorization)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    try {
      const { port } = stranger.address() as AddressInfo
      const examined = await examineWith(installation(), `http://127.0.0.1:${port}`)
      expect(tokens.length).toBeGreaterThan(10)
      expect(tokens.filter(Boolean)).toEqual([])
      expect(examined.findings).toContainEqual(
        expect.objectContaining({ check: 'cookie', saw: 'a token is sent to PUBLIC_URL alone' }),
      )
    } finally {
      stranger.close()
    }
  })

  onServers.each([
    ['never ends', 'no answer in 0.2 s', 100],
    ['is endless', 'an answer of more than 1048576 bytes', 500_000],
  ])('an answer that %s, which is cut off', async (_, reason, bytes) => {
    let isClosed = false
    const slow = createServer((_, response) => {
      response.write('x'.repeat(bytes))
      const drip = setInterval(() => response.write('x'.repeat(bytes)), 20)
      response.once('close', () => {
        clearInterval(drip)
        isClosed = true
      })
    }).listen(0, '127.0.0.1')
    await once(slow, 'listening')
    try {
      const origin = new URL(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`)
      const patienceMs = bytes > 1_000 ? 10_000 : 200
      await expect(
        ask({ origin, at: null, trust: trusting(null) }, { path: '/' }, { patienceMs }),
      ).rejects.toThrow(reason)
      await eventually(() => isClosed)
    } finally {
      slow.close()
    }
  })

  slow('a certificate of the service itself that has expired, or is for another name', async () => {
    const own = await mkdtemp(join(tmpdir(), 'mainstay-tls-'))
    const files = { TLS_CERT_FILE: join(own, 'certificate.pem'), TLS_KEY_FILE: join(own, 'key.pem') }
    try {
      await makeServerCertificate(own, ['api.main.test'], { isExpired: true })
      expect(found(await doctor(files))).toEqual(['settings.tls'])
      await makeServerCertificate(own, ['other.test'])
      expect(found(await doctor(files))).toEqual(['settings.tls'])
      const { key } = await makeServerCertificate(own, ['*.main.test'])
      expect(found(await doctor(files))).toEqual([])
      await makeServerCertificate(own, ['*.main.test'])
      await writeFile(files.TLS_KEY_FILE, key)
      expect(found(await doctor(files))).toEqual(['settings.tls'])
    } finally {
      await rm(own, { recursive: true })
    }
  })

  slow('main site and API on different sites', async () => {
    const apart = { MAIN_ORIGIN: 'https://www.elsewhere.test', COOKIE_DOMAIN: '' }
    expect(found(await doctor(apart))).toContain('cookie.site')
  })
})

slow.describe('doctor and the payment provider', () => {
  const restoring = async (break_: () => void, examined: () => Promise<void>) => {
    const { portal, webhook } = app.sandbox.dashboard
    const before = structuredClone({ portal, webhook })
    try {
      break_()
      await examined()
    } finally {
      Object.assign(portal, before.portal)
      Object.assign(webhook, before.webhook)
      app.sandbox.webhookUrl = WEBHOOK
    }
  }
  const wrong: [string, () => void, string[]][] = [
    [
      'an old API version, and a portal without plans',
      () => {
        setWebhook({ api_version: '2024-06-20' })
        setUpdates({ default_allowed_updates: ['quantity'] })
      },
      ['payments.webhook', 'payments.portal'],
    ],
    [
      'too few events, and a portal with no prices',
      () => {
        setWebhook({ enabled_events: ['invoice.paid'] })
        setUpdates({ products: [] })
      },
      ['payments.webhook', 'payments.portal'],
    ],
    ['an endpoint that is disabled', () => setWebhook({ status: 'disabled' }), ['payments.webhook']],
    [
      'an endpoint elsewhere',
      () => {
        app.sandbox.webhookUrl = 'https://elsewhere.test/api/webhooks/stripe'
      },
      ['payments.webhook'],
    ],
    [
      'a portal that ends subscriptions at once',
      () => {
        app.sandbox.dashboard.portal.features.subscription_cancel.mode = 'immediately'
      },
      ['payments.portal'],
    ],
  ]
  const setWebhook = (change: object) => Object.assign(app.sandbox.dashboard.webhook, change)
  const setUpdates = (change: object) =>
    Object.assign(app.sandbox.dashboard.portal.features.subscription_update, change)

  slow.each(wrong)('%s', (_, break_, checks) =>
    restoring(break_, async () => {
      const examined = await doctor()
      expect(found(examined)).toEqual(checks)
      expect(examined.code).toBe(1)
    }),
  )

  onServers('a price that is not sold', async () => {
    expect(found(await doctor({ STRIPE_PRICE_IDS: 'price_monthly,price_of_yesterday' }))).toEqual(
      expect.arrayContaining(['payments.prices', 'payments.portal']),
    )
  })

  slow('a price whose product is archived', async () => {
    app.sandbox.dashboard.archivedProducts.add('prod_yearly')
    const examined = await doctor()
    app.sandbox.dashboard.archivedProducts.clear()
    expect(found(examined)).toEqual(['payments.prices'])
    expect(examined.output).toContain('does not sell price_yearly')
  })

  slow('a restricted key that may not read all this, of which the service needs the prices', async () => {
    const forbidding = createServer((_, reply) => {
      const error = { type: 'invalid_request_error', message: 'The key rk_test_1 may not read this' }
      reply.writeHead(403, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }))
    })
    forbidding.listen(0, '127.0.0.1')
    await once(forbidding, 'listening')
    try {
      const { port } = forbidding.address() as AddressInfo
      const examined = await doctor({ STRIPE_API_URL: `http://127.0.0.1:${port}` })
      expect(found(examined)).toEqual(['payments.prices'])
      expect(found(examined, 'skipped')).toEqual([
        ...['payments.webhook', 'payments.deliveries', 'payments.portal'],
      ])
    } finally {
      forbidding.close()
    }
  })

  slow('a webhook secret that is not that of the endpoint', async () => {
    const other = await PaymentSandbox.start({
      port: 0,
      secretKey: 'sk_test_payment_sandbox',
      webhookUrl: `${app.url}/api/webhooks/stripe`,
      webhookSecret: 'whsec_of_another_endpoint',
      priceIds: ['price_monthly', 'price_yearly'],
    })
    try {
      const { id } = await createStripe({
        secretKey: 'sk_test_payment_sandbox',
        apiUrl: new URL(other.url),
      }).customers.create({})
      await other.simulate.deleteCustomer(id)
      await eventually(
        async () => (await app.auditRows({ action: 'webhook', outcome: 'refused' })).length > 0,
        { what: 'the webhook to be refused' },
      )
      const examined = await doctor({ STRIPE_API_URL: other.url })
      expect(examined.findings.find(({ check }) => check === 'payments.deliveries')).toMatchObject({
        status: 'fault',
        todo: expect.stringContaining('STRIPE_WEBHOOK_SECRET'),
      })
    } finally {
      await other.stop()
    }
  })

  slow(
    'a post with a wrong signature, which does not put the blame on the secret of the webhook',
    async () => {
      const other = await PaymentSandbox.start({
        port: 0,
        secretKey: 'sk_test_payment_sandbox',
        webhookUrl: 'http://127.0.0.1:1/nowhere',
        webhookSecret: 'whsec_payment_sandbox_only',
        priceIds: ['price_monthly', 'price_yearly'],
      })
      try {
        const stripe = createStripe({ secretKey: 'sk_test_payment_sandbox', apiUrl: new URL(other.url) })
        const { id } = await stripe.customers.create({})
        await other.simulate.deleteCustomer(id)
        expect(outcome(await postEvent(app, anEvent(), { secret: 'whsec_of_a_stranger' }))).toBe(
          '400 INVALID_SIGNATURE',
        )
        await app.auditRows()
        expect(outcome(await postEvent(app, anEvent()))).toBe('200')
        const examined = await doctor({ STRIPE_API_URL: other.url })
        expect(examined.findings.find(({ check }) => check === 'payments.deliveries')).toMatchObject({
          status: 'ok',
          saw: 'the newest events are on their way',
        })
      } finally {
        await other.stop()
      }
    },
  )
})

slow.describe('doctor and mail', () => {
  // An address of this machine that is not taken for it: what leads elsewhere needs TLS.
  const HOST = '127.0.0.2'

  async function examineMail(
    options: SMTPServerOptions,
    ca?: string,
    { login, query } = { login: '', query: '' },
  ): Promise<Finding | undefined> {
    const server = new SMTPServer({ authOptional: true, ...options })
    server.on('error', () => {})
    server.listen(0, HOST)
    await once(server.server, 'listening')
    const { port } = server.server.address() as AddressInfo
    const trusted = getCACertificates()
    if (ca) setDefaultCACertificates([...trusted, ca])
    try {
      const settings = { ...installation(), SMTP_URL: `smtp://${login}${HOST}:${port}${query}` }
      const { findings } = await examineWith(settings)
      return findings.find(({ check }) => check === 'mail')
    } finally {
      setDefaultCACertificates(trusted)
      await new Promise<void>(resolve => server.close(resolve))
    }
  }

  it('a mail server without STARTTLS', async () => {
    expect(await examineMail({ disabledCommands: ['STARTTLS'] })).toMatchObject({
      status: 'fault',
      todo: 'Let the mail server offer STARTTLS, or use another',
    })
  })

  it('a mail server that repeats the password which it refuses', async () => {
    const echo: SMTPServerOptions['onAuth'] = ({ username, password }, _, done) =>
      done(new Error(`${username} with ${password} is nobody`))
    const finding = await examineMail(
      { onAuth: echo, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] },
      undefined,
      {
        login: 'mainstay:pass-of%2Fmail@',
        query: '?tls=off',
      },
    )
    expect(finding).toMatchObject({ status: 'fault', todo: expect.stringContaining('password') })
    expect(finding?.saw).toMatch(/mainstay with ••• is nobody/)
  })

  slow('a mail server with a certificate that nobody has signed, and with one that is trusted', async () => {
    const own = await mkdtemp(join(tmpdir(), 'mainstay-mail-'))
    const { cert, key } = await makeServerCertificate(own, [HOST])
    await rm(own, { recursive: true })
    expect(await examineMail({ cert, key })).toMatchObject({
      status: 'fault',
      todo: expect.stringContaining('valid certificate'),
    })
    const received: unknown[] = []
    const onMailFrom = (_: unknown, __: unknown, done: () => void) => {
      received.push(_)
      done()
    }
    expect(await examineMail({ cert, key, onMailFrom }, cert)).toMatchObject({ status: 'ok' })
    expect(received).toEqual([])
  })
})

slow.describe('doctor and satellites', () => {
  slow('blames no proxy for refusing what the service has to refuse', async () => {
    const unlisted = { SATELLITES: 'registry', ALLOWED_ORIGINS: 'https://listed-before.test' }
    expect(found(await doctor(unlisted))).toEqual([])
    await onDatabase(
      `with account as (insert into accounts (id, created_at) values (gen_random_uuid(), now()) returning id)
       insert into satellites
         (id, account_id, origin, name, kind, state, suspended_by, ceiling, login_mode, created_at, active_since)
       select gen_random_uuid(), id, $1, 'Shop', 'production', 'suspended', 'operator', '{}', 'both', now(), now()
       from account`,
      [SHOP_ONE],
    )
    const preflight = () =>
      app.request({
        method: 'OPTIONS',
        path: '/api/login',
        headers: { Origin: SHOP_ONE, 'Access-Control-Request-Method': 'POST' },
      })
    const isAllowed = async () => 'access-control-allow-origin' in (await preflight()).headers
    try {
      await eventually(async () => !(await isAllowed()), { what: 'the service to learn of it' })
      expect(found(await doctor())).toEqual([])
      expect(found(await doctor({ ALLOWED_ORIGINS: SHOP_ONE }))).toEqual([])
    } finally {
      await onDatabase('delete from satellites')
      await eventually(isAllowed, { what: 'the service to forget it' })
    }
  })

  slow('proofs that are not found, and name servers that do not answer', async () => {
    const [satellite] = await onDatabase(
      `with account as (insert into accounts (id, created_at) values (gen_random_uuid(), now()) returning id)
       insert into satellites (id, account_id, origin, name, kind, state, ceiling, login_mode, created_at)
       select gen_random_uuid(), id, 'https://gone.test', 'Gone', 'production', 'active', '{}', 'both', now()
       from account returning id`,
    )
    await onDatabase(
      `insert into satellite_proofs (satellite_id, token, expires_at, proven_at, method, checked_at, failing_since)
       values ($1, 't', now(), now(), 'dns', now(), now() - interval '2 days')`,
      [satellite?.id],
    )
    try {
      const examined = await doctor()
      expect(found(examined, 'warning')).toEqual(['satellites.proofs'])
      expect(examined.code).toBe(0)
      dns.failure = 'servfail'
      expect(found(await doctor())).toEqual(['satellites.resolver'])
      dns.failure = 'none'
      await onDatabase(`update satellite_proofs set checked_at = now() - interval '4 days'`)
      expect(found(await doctor())).toEqual(['satellites.checks'])
    } finally {
      dns.failure = 'none'
      await onDatabase('delete from satellites')
    }
  })
})
