import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import {
  ALL_SETTINGS,
  asLines,
  checkEndpoints,
  compareClocks,
  createStripe,
  fault,
  inBytes,
  isSameSite,
  ok,
  PaymentSandbox,
  Redaction,
  readCookie,
  reasonToRefuse,
  runChecks,
  runInTurn,
  statementTodo,
} from '../../sources.js'

describe('doctor: which cookies a browser keeps', () => {
  it.each([
    ['sessionId=1; Domain=example.com; Path=/; Secure; HttpOnly; SameSite=Lax', 'https://api.example.com'],
    ['sessionId=1; Domain=.example.com; Secure', 'https://api.example.com'],
    ['sessionId=1; Path=/; Secure', 'https://api.example.com'],
    ['sessionId=1; Secure', 'http://localhost:3000'],
    ['__Host-device=1; Secure; Path=/', 'https://api.example.com'],
    // Its own host may be a suffix.
    ['sessionId=1; Domain=example.github.io; Secure', 'https://example.github.io'],
    ['a=1; Domain=github.io; Secure', 'https://github.io'],
  ])('%s of %s', (line, url) => {
    expect(reasonToRefuse(readCookie(line), new URL(url))).toBeNull()
  })

  it.each([
    ['sessionId=1; Secure', 'http://api.example.com', 'not https'],
    ['sessionId=1; Domain=other.example; Secure', 'https://api.example.com', 'does not cover'],
    ['sessionId=1; Domain=api.example.com; Secure', 'https://example.com', 'does not cover'],
    ['sessionId=1; Domain=xample.com; Secure', 'https://example.com', 'does not cover'],
    ['sessionId=1; Domain=com; Secure', 'https://api.example.com', 'shared by everybody'],
    ['sessionId=1; Domain=co.uk; Secure', 'https://example.co.uk', 'shared by everybody'],
    ['sessionId=1; Domain=github.io; Secure', 'https://example.github.io', 'shared by everybody'],
    ['sessionId=1; Domain=1.2.3; Secure', 'https://4.1.2.3', 'does not cover'],
    ['sessionId=1; SameSite=None', 'https://api.example.com', 'SameSite=None'],
    ['__Secure-a=1', 'https://api.example.com', '__Secure-'],
    ['__Host-device=1; Secure; Path=/; Domain=example.com', 'https://api.example.com', '__Host-'],
    ['__Host-device=1; Secure', 'https://api.example.com', '__Host-'],
    ['__host-device=1; Path=/', 'https://api.example.com', '__Host-'],
  ])('not %s of %s', (line, url, reason) => {
    expect(reasonToRefuse(readCookie(line), new URL(url))).toContain(reason)
  })

  it.each([
    ['https://www.example.com', 'https://api.example.com', true],
    ['https://www.example.co.uk', 'https://api.example.co.uk', true],
    ['https://one.co.uk', 'https://two.co.uk', false],
    ['https://one.github.io', 'https://two.github.io', false],
    ['http://www.example.com', 'https://api.example.com', false],
    ['http://localhost:3000', 'http://localhost:3001', true],
    ['http://127.0.0.1:3000', 'http://localhost:3000', false],
  ])('%s and %s are one site: %s', (one, other, expected) => {
    expect(isSameSite(new URL(one), new URL(other))).toBe(expected)
  })
})

describe('doctor: clocks', () => {
  const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000)

  it.each([
    [0.4, 0, 'ok', ''],
    [-0.9, 0, 'ok', ''],
    // As late as it may be that an HTTP date was cut.
    [-1.9, 1, 'ok', ''],
    [2, 0, 'warning', '1.5 s ahead of'],
    [-2, 0, 'warning', '2.0 s behind'],
    [6, 0, 'fault', '5.5 s ahead of'],
    [-5, 0, 'fault', '5.0 s behind'],
    [-5.5, 1, 'warning', '4.5 s behind'],
  ])('%d s away, in steps of %d s, is %s', (seconds, resolutionSeconds, status, words) => {
    const finding = compareClocks('clock', 'It', {
      before: at(0),
      there: at(seconds),
      after: at(0.5),
      resolutionSeconds,
    })
    expect(finding.status).toBe(status)
    expect(finding.saw).toContain(words)
  })
})

describe('doctor: secrets', () => {
  const SECRETS = ALL_SETTINGS.filter(({ isSecret }) => isSecret).map(({ name }) => name)

  it.each(SECRETS)('%s is written over, whole and in its parts', name => {
    const redaction = new Redaction({ [name]: ' one-secret, another/secret ' })
    expect(redaction.apply('it is one-secret or another/secret')).not.toMatch(/one-secret|another/)
    for (const url of [
      'smtp://me:p%40ss@host:1',
      'redis+cluster://:p%40ss@a,b',
      'postgres://host/db?password=p%40ss',
    ]) {
      const ofUrl = new Redaction({ [name]: url })
      expect(ofUrl.apply(`p@ss and p%40ss of ${url}`)).not.toMatch(/p@ss|p%40ss/)
    }
  })

  it('tells where a server is', () => {
    const redaction = new Redaction({ SMTP_URL: 'smtp://mail.example:587' })
    expect(redaction.apply('mail.example:587 is down')).toBe('mail.example:587 is down')
  })
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [250e6, '250 MB'],
  [4.2e15, '4200 TB'],
])('doctor: %d bytes are %s', (bytes, words) => {
  expect(inBytes(bytes)).toBe(words)
})

describe('doctor: what takes too long', () => {
  const slowCheck = (name: string) => ({
    name,
    todo: '',
    run: () => sleep(60).then(() => [ok(name, 'slow, but well')]),
  })

  it('costs the findings of no other check', async () => {
    const checks = [
      slowCheck('one'),
      { name: 'hangs', todo: 'Wake it', run: () => new Promise<never>(() => {}) },
      slowCheck('two'),
    ]
    const all = { name: 'all', todo: 'Start it', isGroup: true, run: () => runInTurn(checks, 100) } as const
    expect(await runChecks([all], 100)).toEqual([
      ok('one', 'slow, but well'),
      fault('hangs', 'no answer in 100 ms', 'Wake it'),
      ok('two', 'slow, but well'),
    ])
  })

  it.each([
    [{ code: '42501', message: 'permission denied for table users' }, /the right to read its tables$/],
    [{ code: '57014', message: 'canceling statement due to statement timeout' }, /slow/],
    [{ message: 'Query read timeout' }, /slow/],
    [{ message: 'no answer in 60000 ms' }, /slow/],
    [{ code: '42P01', message: 'relation "users" does not exist' }, /log of PostgreSQL/],
  ])('is told from what is not allowed: %j', (error, todo) => {
    expect(statementTodo('its tables')(error)).toMatch(todo)
  })
})

it('doctor prints nothing that a terminal would obey', () => {
  const [line] = asLines([{ check: 'keys', status: 'fault', saw: 'keys \u001b[2J\r\n\u009bA', todo: 'Look' }])
  expect(line).toBe('fault    keys  keys \ufffd[2J\ufffd\ufffd\ufffdA → Look')
})

describe('doctor: the webhook', () => {
  it('is named where it gets thin events, which nobody can read (B8)', async () => {
    const url = 'https://api.example.com/api/webhooks/stripe'
    const secretKey = 'sk_test_payment_sandbox_only'
    const sandbox = await PaymentSandbox.start({
      port: 0,
      secretKey,
      webhookUrl: url,
      webhookSecret: 'whsec_1',
      priceIds: ['price_small'],
    })
    try {
      const stripe = createStripe({ secretKey, apiUrl: new URL(sandbox.url) })
      const settings = { publicUrl: 'https://api.example.com' }
      const examine = () =>
        checkEndpoints(stripe, settings as unknown as Parameters<typeof checkEndpoints>[1], 1)
      expect((await examine()).map(({ status }) => status)).toEqual(['ok'])
      sandbox.dashboard.thinEventsUrl = 'https://elsewhere.example.com/'
      expect((await examine()).map(({ status }) => status)).toEqual(['ok'])
      sandbox.dashboard.thinEventsUrl = url
      const saw = expect.stringContaining('ed_sandbox sends thin events')
      expect(await examine()).toEqual([expect.objectContaining({ status: 'fault', saw })])
      sandbox.webhookUrl = null
      expect(await examine()).toContainEqual(expect.objectContaining({ status: 'fault', saw }))
    } finally {
      await sandbox.stop()
    }
  })
})
