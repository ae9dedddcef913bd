import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { readSettings, SettingsError, settingsFrom } from '../../sources.js'
import { documentedCode } from '../../support/client/documented-code.js'

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.main.test/',
  MAIN_ORIGIN: 'https://www.main.test',
  ALLOWED_ORIGINS: 'https://www.main.test, https://shop.test',
  COOKIE_DOMAIN: 'main.test',
  DATABASE_URL: 'postgres://database/mainstay',
  JWT_KEYS_FILE: '/run/secrets/jwt-keys.json',
  SECRETS_KEYS_FILE: '/run/secrets/secrets-keys.json',
  STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  STRIPE_PRICE_IDS: 'price_monthly,price_yearly',
}

let emptyFolder: string
beforeAll(async () => {
  emptyFolder = await mkdtemp(join(tmpdir(), 'mainstay-settings-'))
})
afterAll(() => rm(emptyFolder, { recursive: true }))

function read(difference: Record<string, string | undefined> = {}) {
  return readSettings({ ...PRODUCTION, ...difference }, emptyFolder)
}

function faultsOf(difference: Record<string, string | undefined>): readonly string[] {
  try {
    read(difference)
    return []
  } catch (error) {
    return (error as SettingsError).faults
  }
}

describe('readSettings of the brand', () => {
  it('defaults to Mainstay, and takes a name, a logo, an accent and where to get help', () => {
    const brand = { name: 'Mainstay', logoUrl: null, accent: '#3b4fd8', supportUrl: null }
    expect(read().brand).toEqual(brand)
    const chosen = {
      SITE_NAME: 'Rose & Sons',
      SITE_LOGO_URL: 'https://cdn.test/a b.svg',
      SITE_ACCENT: '#B91C1C',
      SUPPORT_URL: 'mailto:help@rose.test',
    }
    expect(read(chosen).brand).toEqual({
      name: 'Rose & Sons',
      logoUrl: 'https://cdn.test/a%20b.svg',
      accent: '#b91c1c',
      supportUrl: 'mailto:help@rose.test',
    })
  })

  it.each([
    ['SITE_NAME', 'x'.repeat(61)],
    ['SITE_NAME', 'Two\nlines'],
    ['SITE_LOGO_URL', 'http://cdn.test/logo.svg'],
    ['SITE_ACCENT', 'red'],
    ['SITE_ACCENT', '#b91c1c;background:url(x)'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['SUPPORT_URL', 'help@rose.test'],
  ])('refuses %s=%j', (name, text) => {
    expect(faultsOf({ [name]: text })).toEqual([expect.stringContaining(`${name} must be`)])
  })
})

it('takes a cheaper hash of passwords in tests alone', () => {
  const HASH_MEMORY_KIB = '64'
  const test = { ...PRODUCTION, NODE_ENV: 'test', HASH_MEMORY_KIB }
  expect(readSettings(test, emptyFolder).hashMemoryKib).toBe(64)
  for (const NODE_ENV of ['production', 'development'])
    expect(read({ NODE_ENV, HASH_MEMORY_KIB }).hashMemoryKib).toBe(19_456)
})

describe('readSettings of limits', () => {
  it.each([
    ['LOGINS_PER_ACCOUNT', 60],
    ['LOGINS_PER_NETWORK', 600],
    ['WRONG_SESSION_IDS_PER_NETWORK', 300],
    ['MAILS_PER_USER', 50],
    ['MAILS_PER_ACCOUNT', 200],
    ['WRITES_PER_USER', 900],
    ['HANDOFFS_PER_USER', 120],
    ['PAYMENT_REQUESTS_PER_USER', 60],
    ['PAYMENT_REQUESTS_PER_ACCOUNT', 180],
  ])('gives %s the default %i, and refuses zero', (name, usual) => {
    expect(Object.values(read().rateLimits)).toContain(usual)
    expect(Object.values(read({ [name]: '12345' }).rateLimits)).toContain(12_345)
    expect(faultsOf({ [name]: '0' })).toEqual([expect.stringContaining(`${name} must be a whole number`)])
  })

  it('hashes as many passwords at a time as there are cores, unless told', () => {
    expect(read().hashConcurrency).toBe(availableParallelism())
    expect(read({ HASH_CONCURRENCY: '7' }).hashConcurrency).toBe(7)
    expect(faultsOf({ HASH_CONCURRENCY: '0' })).toHaveLength(1)
  })
})

describe('readSettings of transfers', () => {
  it('defaults to three days, and takes half a day to thirty', () => {
    expect(read().transferWaitSeconds).toBe(3 * 24 * 60 * 60)
    for (const seconds of [43_200, 2_592_000])
      expect(read({ TRANSFER_WAIT_SECONDS: String(seconds) }).transferWaitSeconds).toBe(seconds)
  })

  it.each(['43199', '2592001', '1.5', '3 days'])('refuses %s', wait => {
    expect(faultsOf({ TRANSFER_WAIT_SECONDS: wait })).toEqual([
      expect.stringContaining('TRANSFER_WAIT_SECONDS must be a whole number from 43200 to 2592000'),
    ])
  })
})

describe('readSettings of payments', () => {
  it('billing 11: takes several webhook secrets', () => {
    const [first, second] = ['whsec_0123456789abcdef', 'whsec_fedcba9876543210']
    expect(read({ STRIPE_WEBHOOK_SECRET: first }).stripe?.webhookSecrets).toEqual([first])
    expect(read({ STRIPE_WEBHOOK_SECRET: `${first}, ${second}` }).stripe?.webhookSecrets).toEqual([
      first,
      second,
    ])
  })

  it('turns payments off with PAYMENTS=off, whatever else is given, and without any of their settings', () => {
    const off = { stripe: null, plansFile: null, paymentGraceSeconds: 1_209_600 }
    const rest = { PLANS_FILE: '/plans.json', PAYMENT_GRACE_SECONDS: '5', STRIPE_SECRET_KEY: 'wrong' }
    expect(read({ PAYMENTS: 'off', ...rest })).toMatchObject(off)
    const names = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE_IDS']
    const without = Object.fromEntries(names.map(name => [name, undefined]))
    expect(read(without)).toMatchObject(off)
    expect(read({ ...without, STRIPE_PRICE_IDS: ' ' })).toMatchObject(off)
  })

  it('wants all that is required where one of them is given, and says how to do without', () => {
    const names = ['STRIPE_PRICE_IDS', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
    const without = Object.fromEntries(names.map(name => [name, undefined]))
    const missing = names.map(name => `${name} is missing`)
    const hint = 'PAYMENTS=off is for an installation that sells nothing'
    for (const given of [{ PAYMENTS: 'stripe' }, { PLANS_FILE: '/plans.json' }, { STRIPE_PRORATION: 'none' }])
      expect(faultsOf({ ...without, ...given })).toEqual([...missing, hint])
    expect(faultsOf({ STRIPE_SECRET_KEY: undefined })).toEqual(['STRIPE_SECRET_KEY is missing', hint])
    expect(faultsOf({ PAYMENTS: 'paypal' })).toContain('PAYMENTS must be one of stripe, off')
  })
})

describe('readSettings in production', () => {
  it('reads complete settings', () => {
    expect(read()).toMatchObject({
      environment: 'production',
      publicUrl: 'https://api.main.test',
      jwtIssuer: 'https://api.main.test',
      mainOrigin: 'https://www.main.test',
      satelliteOrigins: new Set(['https://shop.test']),
      cookieDomain: 'main.test',
      accessTokenTtlSeconds: 900,
      sessionTtlSeconds: 2_592_000,
      trustProxy: [],
      tls: null,
      operation: {
        drainSeconds: 8,
        databasePoolSize: 10,
        databaseTimeoutMs: 400,
        maxConnections: 10_000,
        metricsPort: null,
        metricsHost: '127.0.0.1',
        tracesUrl: null,
      },
    })
    expect(Object.isFrozen(read())).toBe(true)
  })

  it('applies where NODE_ENV is not set', () => {
    expect(read({ NODE_ENV: undefined }).environment).toBe('production')
    // As an env file with a blank at the end of a line says it.
    expect(() => readSettings({ NODE_ENV: 'production ' }, emptyFolder)).toThrow('JWT_KEYS_FILE')
    expect(() => readSettings({ NODE_ENV: ' ' }, emptyFolder)).toThrow('JWT_KEYS_FILE')
  })

  it('reports all missing settings at once, one per line', () => {
    const attempt = () => readSettings({ NODE_ENV: 'production' }, emptyFolder)
    expect(attempt).toThrow(SettingsError)
    expect(attempt).toThrow(
      [
        'The settings are not usable:',
        ...[
          'PUBLIC_URL',
          'MAIN_ORIGIN',
          'ALLOWED_ORIGINS',
          'DATABASE_URL',
          'JWT_KEYS_FILE',
          'SECRETS_KEYS_FILE',
        ].map(name => `  - ${name} is missing`),
      ].join('\n'),
    )
  })

  it.each([
    ['MAIN_ORIGIN', 'http://www.main.test'],
    ['MAIN_ORIGIN', 'http://localhost:3000'],
    ['MAIN_ORIGIN', 'https://www.main.test/'],
    ['MAIN_ORIGIN', 'www.main.test'],
    ['MAIN_ORIGIN', '*'],
    ['ALLOWED_ORIGINS', 'https://shop.test,http://other.test'],
    ['ALLOWED_ORIGINS', 'https://*.shop.test'],
    ['ALLOWED_ORIGINS', 'null'],
    ['PUBLIC_URL', 'http://api.main.test'],
    ['COOKIE_DOMAIN', '.main.test'],
    ['COOKIE_DOMAIN', 'https://main.test'],
    ['COOKIE_DOMAIN', 'other.test'],
    ['COOKIE_DOMAIN', 'ain.test'],
    ['COOKIE_DOMAIN', 'test'],
    ['DNS_SERVERS', 'dns.local'],
    ['STRIPE_API_URL', 'http://payments.internal:3010'],
    ['ACCESS_TOKEN_TTL_SECONDS', '0'],
    ['ACCESS_TOKEN_TTL_SECONDS', '15m'],
    ['SESSION_TTL_SECONDS', '34560001'],
    ['PORT', '65536'],
    ['DATABASE_URL', 'mysql://database'],
    ['DATABASE_URL', 'postgres://a,b/mainstay?target_session_attrs=any'],
    ['SMTP_URL', 'smtp://mail.test?tls=on'],
    // Links in mails let their reader in.
    ['SMTP_URL', 'log:'],
    ['SMTP_URL', 'smtp://mail.test?requireTLS=false'],
    ['SESSION_STORE_URL', 'http://redis:6379'],
    ['SESSION_STORE_URL', 'rediss+sentinel://one:26379/mymaster'],
    ['STRIPE_SECRET_KEY', 'changeme'],
    ['STRIPE_SECRET_KEY', 'pk_test_payment_sandbox'],
    ['STRIPE_SECRET_KEY', 'sk_live_changeme_changeme'],
    // Everybody can read them.
    ['STRIPE_SECRET_KEY', 'sk_test_payment_sandbox'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_payment_sandbox_only'],
    ['STRIPE_WEBHOOK_SECRET', ''],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_short'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_0123456789abcdef,whsec_short'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_0123456789abcdef,whsec_payment_sandbox_only'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_changeme_changeme_changeme'],
    ['STRIPE_WEBHOOK_SECRET', 'a_secret_without_its_prefix'],
    ['STRIPE_PRICE_IDS', ','],
    ['STRIPE_PRICE_IDS', 'prod_1'],
    ['STRIPE_CHECKOUT_OPTIONS', '{'],
    ...['line_items', 'customer', 'mode', 'success_url', 'cancel_url', 'subscription_data', '__proto__'].map(
      name => ['STRIPE_CHECKOUT_OPTIONS', `{"${name}":true}`] as const,
    ),
    ['STRIPE_CHECKOUT_OPTIONS', '{"trial_days":0}'],
    ['STRIPE_CHECKOUT_OPTIONS', '{"automatic_tax":true}'],
    ['STRIPE_CHECKOUT_OPTIONS', '{"automatic_tax":{"enabled":true,"liability":{"type":"account"}}}'],
    ['STRIPE_CHECKOUT_OPTIONS', '{"allow_promotion_codes":"yes"}'],
    ['STRIPE_CHECKOUT_OPTIONS', '{"payment_method_configuration":"price_1"}'],
    ['STRIPE_CHECKOUT_OPTIONS', '{"subscription_data":{"metadata":{"accountId":"1"}}}'],
    [
      'STRIPE_CHECKOUT_OPTIONS',
      '{"subscription_data":{"trial_settings":{"end_behavior":{"missing_payment_method":"create_invoice"}}}}',
    ],
    ['STRIPE_PRORATION', 'sometimes'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '0.0.0.0/33'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.1,::/0'],
    ['TRUST_PROXY', '10.0.0.0/00'],
    ['TLS_CERT_FILE', '/cert.pem'],
    ['ANOMALY_POLICY', 'panic:40'],
    ['LOG_LEVEL', 'verbose'],
    ['NODE_ENV', 'staging'],
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value }).join('\n')).toContain(name)
  })

  it.each(['Example', 'Example <>', 'Example <no-reply>', 'no-reply@', 'one@main.test, two@main.test'])(
    'refuses %j as the sender of mails',
    from => {
      expect(faultsOf({ SMTP_URL: 'smtp://mail.test', MAIL_FROM: from })).toEqual([
        expect.stringContaining('MAIL_FROM must be an e-mail address'),
      ])
    },
  )

  it.each([
    ['a@b.test', '', 'a@b.test'],
    ['A <a@b.test>', 'A', 'a@b.test'],
    ['Acme: Accounts; Sons (EU) <a@b.test>', 'Acme: Accounts; Sons (EU)', 'a@b.test'],
    [String.raw`"A, \"B\" \\ C" <a@localhost>`, String.raw`A, "B" \ C`, 'a@localhost'],
  ])('reads the sender %j in its two parts (W12)', (from, name, address) => {
    expect(read({ SMTP_URL: 'smtp://mail.test', MAIL_FROM: from }).mail?.from).toEqual({ name, address })
  })

  it('takes name servers and a provider that can be used', () => {
    const servers = ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:5353']
    expect(read({ DNS_SERVERS: servers.join() }).dnsServers).toEqual(servers)
    for (const url of ['https://payments.internal/', 'http://127.0.0.1:3010/', 'http://localhost:3010/'])
      expect(read({ STRIPE_API_URL: url }).stripe?.apiUrl?.href).toBe(url)
  })

  it('refuses a cookie domain under which anybody can have names', () => {
    const hosts = { PUBLIC_URL: 'https://api.shop.co.uk', MAIN_ORIGIN: 'https://shop.co.uk' }
    expect(faultsOf({ ...hosts, COOKIE_DOMAIN: 'shop.co.uk' })).toEqual([])
    expect(faultsOf({ ...hosts, COOKIE_DOMAIN: 'co.uk' })).toEqual([
      expect.stringContaining('COOKIE_DOMAIN co.uk is shared by everybody'),
    ])
    const laptop = { NODE_ENV: 'development', COOKIE_DOMAIN: 'localhost' }
    const local = { PUBLIC_URL: 'http://localhost:3000', MAIN_ORIGIN: 'http://localhost:3000' }
    expect(faultsOf({ ...laptop, ...local })).toEqual([])
  })

  it('reports the wrong one of two paired settings, and not that the other lacks it', () => {
    const mail = { SMTP_URL: 'http://mail.test', MAIL_FROM: 'Mainstay <no-reply@main.test>' }
    expect(faultsOf(mail)).toEqual([expect.stringContaining('SMTP_URL must be a URL')])
    expect(faultsOf({ ...mail, SMTP_URL: '' })).toEqual(['SMTP_URL and MAIL_FROM must be set together'])
  })

  it('never shows a secret in a fault', () => {
    const faults = faultsOf({ STRIPE_SECRET_KEY: 'pk_top_secret', STRIPE_WEBHOOK_SECRET: 'top_secret' })
    expect(faults).toHaveLength(2)
    expect(faults.join()).not.toContain('top_secret')
  })
})

describe('readSettings outside production', () => {
  it('takes http on this machine, and nowhere else', () => {
    const local = { NODE_ENV: 'development', MAIN_ORIGIN: 'http://localhost:3000', COOKIE_DOMAIN: '' }
    expect(read({ ...local, ALLOWED_ORIGINS: 'http://127.0.0.1:3001,http://[::1]:3001' })).toMatchObject({
      mainOrigin: 'http://localhost:3000',
      satelliteOrigins: new Set(['http://127.0.0.1:3001', 'http://[::1]:3001']),
    })
    expect(faultsOf({ ...local, ALLOWED_ORIGINS: 'http://shop.test' })).toHaveLength(1)
    expect(faultsOf({ ...local, ALLOWED_ORIGINS: 'http://localhost.evil.test' })).toHaveLength(1)
  })
})

describe('the settings file of an environment', () => {
  it('gives what the environment does not say', async () => {
    await withFile('ACCESS_TOKEN_TTL_SECONDS=60\nSESSION_TTL_SECONDS=120\n', folder => {
      const settings = readSettings({ ...PRODUCTION, SESSION_TTL_SECONDS: '300' }, folder)
      expect(settings).toMatchObject({ accessTokenTtlSeconds: 60, sessionTtlSeconds: 300 })
    })
  })

  it('refuses a name that is not ours: it would be a typing mistake', async () => {
    await withFile('ALOWED_ORIGINS=https://shop.test\n', folder => {
      expect(() => readSettings(PRODUCTION, folder)).toThrow(
        'ALOWED_ORIGINS (in config/production.env) is not a setting',
      )
    })
  })

  it('warns of a name in the environment that is nearly a setting, unless that is set too', () => {
    const others = { SITE_URL: 'x', HOSTNAME: 'x', SSL_CERT_FILE: '/etc/ssl/cert.pem', ALLOWED_ORIGIN: '' }
    expect(read({ SESION_TTL_SECONDS: '60', ...others }).warnings).toEqual([
      'SESION_TTL_SECONDS is not a setting: SESSION_TTL_SECONDS may have been meant',
    ])
    for (const name of [
      'SESSION_TTL_SECNODS',
      'SESSION_TTL_SECOND',
      'SESSION_TTTL_SECONDS',
      'SESSION_TTL_SEKONDS',
    ])
      expect(read({ [name]: '60' }).warnings).toHaveLength(1)
  })

  it('takes a file that begins with a byte order mark (W14)', async () => {
    await withFile('\ufeffACCESS_TOKEN_TTL_SECONDS=60\n', folder => {
      expect(readSettings(PRODUCTION, folder).accessTokenTtlSeconds).toBe(60)
    })
  })

  it.each(['development', 'test'])('config/%s.env is complete as it is', NODE_ENV => {
    expect(readSettings({ NODE_ENV }).environment).toBe(NODE_ENV)
  })

  async function withFile(text: string, check: (folder: string) => void): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-settings-'))
    await writeFile(join(folder, 'production.env'), text)
    try {
      check(folder)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
})

describe('readSettings of passkeys', () => {
  const SIX = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => `https://www.${name}.example`)

  it('takes the host of the main site, or a domain above it that nobody shares', () => {
    expect(read().passkeyRpId).toBe('www.main.test')
    expect(read({ PASSKEY_RP_ID: 'main.test' }).passkeyRpId).toBe('main.test')
    expect(read({ PASSKEY_RP_ID: 'www.main.test' }).passkeyRpId).toBe('www.main.test')
    expect(faultsOf({ PASSKEY_RP_ID: 'test' })).toEqual([expect.stringContaining('is shared by everybody')])
    for (const other of ['api.main.test', 'in.test', 'shop.test', 'x.www.main.test'])
      expect(faultsOf({ PASSKEY_RP_ID: other })).toEqual([
        `PASSKEY_RP_ID ${other} does not cover www.main.test, so browsers would refuse all passkeys`,
      ])
    const onHosting = {
      MAIN_ORIGIN: 'https://shop.github.io',
      COOKIE_DOMAIN: '',
      PUBLIC_URL: 'https://shop.github.io',
    }
    expect(faultsOf({ ...onHosting, PASSKEY_RP_ID: 'github.io' })).toHaveLength(1)
    expect(faultsOf({ PASSKEY_RP_ID: 'https://main.test' })).toHaveLength(1)
  })

  it('takes a console at a host of its own, with addresses in production', () => {
    expect(read().operators).toBeNull()
    const origin = 'https://operators.main.test'
    expect(faultsOf({ OPERATOR_ORIGIN: origin })).toEqual([
      'OPERATOR_ADDRESSES must say from where the console can be reached',
    ])
    const addresses = { OPERATOR_ADDRESSES: '203.0.113.0/24,2001:db8::/32' }
    expect(read({ OPERATOR_ORIGIN: origin, ...addresses }).operators).toEqual({
      origin,
      addresses: ['203.0.113.0/24', '2001:db8::/32'],
    })
    const laptop = { NODE_ENV: 'development', OPERATOR_ORIGIN: 'http://operator.localhost:3000' }
    expect(read(laptop).operators).toEqual({
      origin: 'http://operator.localhost:3000',
      addresses: ['127.0.0.0/8', '::1'],
    })
    for (const taken of ['https://www.main.test', 'https://api.main.test'])
      expect(faultsOf({ OPERATOR_ORIGIN: taken, ...addresses })).toEqual([
        `OPERATOR_ORIGIN ${taken} has the host of ${taken}; the console needs one of its own`,
      ])
    expect(faultsOf({ OPERATOR_ORIGIN: 'https://www.main.test:8443', ...addresses })).toHaveLength(1)
    expect(faultsOf({ OPERATOR_ORIGIN: origin, OPERATOR_ADDRESSES: 'everywhere' })).toHaveLength(1)
  })

  it('takes related origins from ALLOWED_ORIGINS, of at most five names', () => {
    const listed = (origins: readonly string[]) => ({
      ALLOWED_ORIGINS: SIX.join(),
      PASSKEY_RELATED_ORIGINS: origins.join(),
    })
    expect(read().passkeyRelatedOrigins).toEqual([])
    expect(read(listed(SIX.slice(1))).passkeyRelatedOrigins).toEqual(SIX.slice(1))
    expect(faultsOf(listed(SIX))).toEqual(['PASSKEY_RELATED_ORIGINS has 6 names; browsers stop at 5'])
    for (const stray of ['https://evil.example', 'https://www.main.test', 'https://a.example'])
      expect(faultsOf(listed([stray]))).toEqual([
        `PASSKEY_RELATED_ORIGINS has ${stray}, which is no satellite of ALLOWED_ORIGINS`,
      ])
    // One name, however many hosts and suffixes.
    const brand = ['https://brand.example', 'https://www.brand.example', 'https://brand.co.uk']
    const many = [...SIX.slice(2), ...brand]
    expect(faultsOf({ ALLOWED_ORIGINS: many.join(), PASSKEY_RELATED_ORIGINS: many.join() })).toEqual([])
  })
})

it.each(['MAIN_ORIGIN', 'ALLOWED_ORIGINS'])('says of %s which part is no origin', name => {
  expect(faultsOf({ [name]: 'https://shop.test/path' })).toContain(
    `${name} has "https://shop.test/path", which is not an exact https origin such as https://www.example.com`,
  )
})

describe('config/development.env', () => {
  it.each([
    [{}, 3000],
    [{ PORT: '4000' }, 4000],
    // Any free port: what is beside the service cannot know which.
    [{ PORT: '0' }, 3000],
  ])('has the ports beside the service follow PORT: %j', (environment, port) => {
    const { satelliteOrigins, stripe, mail } = readSettings({ NODE_ENV: 'development', ...environment })
    expect([...satelliteOrigins]).toContain(`http://127.0.0.1:${port + 1}`)
    expect(stripe?.apiUrl?.port).toBe(String(port + 10))
    expect(mail?.smtpUrl.port).toBe(String(port + 25))
  })

  it('lets in what local tools serve besides, whatever is listed, unless only registered satellites count', () => {
    const localIn = (environment: Record<string, string>) => [
      ...readSettings({ NODE_ENV: 'development', ...environment }).localOrigins,
    ]
    const tool = 'http://localhost:5173'
    expect(localIn({})).toContain(tool)
    expect(localIn({ ALLOWED_ORIGINS: 'https://shop.test' })).toContain(tool)
    expect(localIn({ MAIN_ORIGIN: tool })).not.toContain(tool)
    expect(localIn({ SATELLITES: 'registry' })).toEqual([])
  })

  it('lets in none of them anywhere else', () => {
    expect(read().localOrigins).toEqual(new Set())
    expect(readSettings({ NODE_ENV: 'test' }).localOrigins).toEqual(new Set())
  })

  it('blames PORT alone when that is no number', () => {
    const read = () => readSettings({ NODE_ENV: 'development', PORT: 'four' })
    expect(read).toThrow(/usable:\n {2}- PORT must be a whole number from 0 to 65535$/)
  })

  it('leaves a setting that the environment has alone', () => {
    const environment = { NODE_ENV: 'development', PORT: '4000', SMTP_URL: 'smtp://localhost:2525' }
    expect(readSettings(environment).mail?.smtpUrl.port).toBe('2525')
  })
})

it('needs no more in development than docs/integrate says, and more in production (integration 13)', async () => {
  const code = await documentedCode('Inside another program')
  const given: Record<string, string> = new Function(`${code}; return settings`)()
  expect(Object.keys(given)).toEqual(['NODE_ENV', 'DATA_DIR'])
  expect(settingsFrom(given)).toMatchObject({ mainOrigin: 'http://localhost:3000', stripe: null })
  for (const NODE_ENV of ['', 'production'])
    expect(() => settingsFrom({ ...given, NODE_ENV })).toThrow(SettingsError)
})
