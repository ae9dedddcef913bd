import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { KnownDevices, Logger, Passwords, RateLimiter, Users, unavailable } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import { anEmail, anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { anApp, MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'
import { addPasskey, logInWithPasskey, passkeyOptions } from '../support/passkey-calls.js'
import { provenSession } from '../support/reauthenticate.js'

const WRONG = '401 INVALID_CREDENTIALS'
const TOO_MANY = '429 TOO_MANY_ATTEMPTS'

/** A program for each key would take longer than all else. */
const TTL_OF_ALL = `local ttls = {} for i, key in ipairs(KEYS) do ttls[i] = redis.call('TTL', key) end return ttls`

const OWN = 4
const ACCOUNT = 10
const NETWORK = 20
const LINKS = 8
const LIMITS = {
  ATTEMPTS_PER_ACCOUNT_AND_NETWORK: String(OWN),
  ATTEMPTS_PER_ACCOUNT: String(ACCOUNT),
  ATTEMPTS_PER_NETWORK: String(NETWORK),
  // Tests say with X-Forwarded-For where they come from.
  TRUST_PROXY: '127.0.0.1',
}

interface Try {
  email: string
  ip: string
  password?: string
  source?: 'main' | 'satellite'
  origin?: string
}

function logIn(app: TestApp, { email, ip, password = PASSWORD, source = 'satellite', origin }: Try) {
  const Origin = origin ?? (source === 'main' ? MAIN : SHOP_ONE)
  return sendLogin(app, { email }, { source, password, Origin, 'X-Forwarded-For': ip })
}

function guess(app: TestApp, attempt: Try): Promise<TestResponse> {
  return logIn(app, { ...attempt, password: 'wrong' })
}

async function guesses(app: TestApp, count: number, attempt: (index: number) => Try): Promise<string[]> {
  const outcomes: string[] = []
  for (let index = 0; index < count; index++) outcomes.push(outcome(await guess(app, attempt(index))))
  return outcomes
}

let networks = 0
/** A network that no test has used, and no neighbour of it. */
function anIp(): string {
  networks++
  return `10.${networks >> 8}.${networks & 255}.7`
}

function retryAfter({ headers }: TestResponse): number {
  expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
  return Number(headers['retry-after'])
}

describe('Guesses at passwords', () => {
  const app = anApp(LIMITS)

  it('RL-01: end for one account and network, and the right password is taken from another', async () => {
    const { email } = await anOwner(app)
    const ip = anIp()
    const outcomes = await guesses(app, OWN + 3, () => ({ email, ip }))
    expect(outcomes).toEqual([...Array(OWN).fill(WRONG), ...Array(3).fill(TOO_MANY)])
    const refused = await logIn(app, { email, ip })
    expect(outcome(refused)).toBe(TOO_MANY)
    expect(retryAfter(refused)).toBeGreaterThan(800)
    expect(retryAfter(refused)).toBeLessThanOrEqual(900)
    expect(outcome(await logIn(app, { email, ip: anIp() }))).toBe('200')
  })

  it('end for one account over all networks', async () => {
    const { email } = await anOwner(app)
    const outcomes = await guesses(app, ACCOUNT + 5, () => ({ email, ip: anIp() }))
    expect(outcomes).toEqual([...Array(ACCOUNT).fill(WRONG), ...Array(5).fill(TOO_MANY)])
    expect(outcome(await logIn(app, { email, ip: anIp() }))).toBe(TOO_MANY)
  })

  it('RL-08: lock nobody out who has logged in from there before', async () => {
    const { email } = await anOwner(app)
    const home = anIp()
    expect(outcome(await logIn(app, { email, ip: home }))).toBe('200')
    await guesses(app, 30, () => ({ email, ip: anIp() }))
    expect(outcome(await logIn(app, { email, ip: anIp() }))).toBe(TOO_MANY)
    expect(outcome(await logIn(app, { email, ip: home }))).toBe('200')
  })

  it('end at home as well', async () => {
    const { email } = await anOwner(app)
    const home = anIp()
    await logIn(app, { email, ip: home })
    await guesses(app, ACCOUNT, () => ({ email, ip: anIp() }))
    const outcomes = await guesses(app, OWN + 1, () => ({ email, ip: home }))
    expect(outcomes).toEqual([...Array(OWN).fill(WRONG), TOO_MANY])
    // All houses next door together have no more than half of what one account has.
    const nextDoor = await guesses(app, ACCOUNT, index => ({
      email,
      ip: home.replace(/7$/, `${100 + index}`),
    }))
    expect(nextDoor.filter(what => what === WRONG)).toHaveLength(ACCOUNT / 2 - OWN)
  })

  it('end for one network, whichever accounts they are at', async () => {
    const ip = anIp()
    const outcomes = await guesses(app, NETWORK + 2, () => ({ email: anEmail(), ip }))
    expect(outcomes).toEqual([...Array(NETWORK).fill(WRONG), TOO_MANY, TOO_MANY])
    const { email } = await anOwner(app)
    expect(outcome(await logIn(app, { email, ip }))).toBe(TOO_MANY)
    expect(outcome(await logIn(app, { email, ip: anIp() }))).toBe('200')
  })

  it('RL-03: count as one network when from one IPv6 /64, or written as packed IPv4', async () => {
    const { email } = await anOwner(app)
    const addresses = ['2001:db8:0:1::1', '2001:DB8::1:0:0:0:2', '2001:db8:0:1:ffff::', '2001:db8:0:1::ffff']
    await guesses(app, OWN, index => ({ email, ip: addresses[index % 4]! }))
    expect(outcome(await guess(app, { email, ip: '2001:db8:0:1:a:b:c:d' }))).toBe(TOO_MANY)
    expect(outcome(await guess(app, { email, ip: '2001:db8:7:2::1' }))).toBe(WRONG)

    const other = await anOwner(app)
    const ip = anIp()
    await guesses(app, OWN, index => ({ email: other.email, ip: index % 2 ? ip : `::ffff:${ip}` }))
    expect(outcome(await guess(app, { email: other.email, ip }))).toBe(TOO_MANY)
  })

  it('begin anew after a right one', async () => {
    const { email } = await anOwner(app)
    const ip = anIp()
    for (let round = 0; round < 3; round++) {
      expect(await guesses(app, OWN - 1, () => ({ email, ip }))).not.toContain(TOO_MANY)
      expect(outcome(await logIn(app, { email, ip }))).toBe('200')
    }
  })

  it('are not forgiven for a network by a right one at another account', async () => {
    const { email } = await anOwner(app)
    const ip = anIp()
    const outcomes: string[] = []
    for (let index = 0; index < NETWORK; index++) {
      outcomes.push(outcome(await guess(app, { email: anEmail(), ip })))
      if (index % 4 === 0) expect(outcome(await logIn(app, { email, ip }))).toBe('200')
    }
    expect(outcomes).toEqual(Array(NETWORK).fill(WRONG))
    expect(outcome(await guess(app, { email: anEmail(), ip }))).toBe(TOO_MANY)
    // Known there, so still let in, and that too frees nothing.
    expect(outcome(await logIn(app, { email, ip }))).toBe('200')
    expect(outcome(await guess(app, { email: anEmail(), ip }))).toBe(TOO_MANY)
  })

  it('RL-06: are counted before the password is looked at, even 60 at once', async () => {
    const { email, id } = await anOwner(app)
    const ip = anIp()
    const verify = jest.spyOn(app.get(Passwords), 'verify')
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(app, { email, ip })))
    const outcomes = answers.map(outcome)
    expect(outcomes.filter(what => what === WRONG)).toHaveLength(OWN)
    expect(outcomes.filter(what => what === TOO_MANY)).toHaveLength(60 - OWN)
    expect(verify).toHaveBeenCalledTimes(OWN)
    verify.mockRestore()
    const rows = await app.auditRows({ userId: id, outcome: 'failed' })
    expect(rows).toHaveLength(OWN)
    // Nobody else is worse off for it.
    expect(outcome(await logIn(app, { email, ip: anIp() }))).toBe('200')
    expect(outcome(await guess(app, { email: anEmail(), ip }))).toBe(WRONG)
  })

  it('RL-07: are counted together from all sources and at re-authentication', async () => {
    const owner = await anOwner(app)
    const { accessToken } = await signIn(app, owner, 'main')
    const ip = anIp()
    const reauthenticate = (password: string) =>
      app.post(
        '/api/reauthenticate',
        { password },
        { Origin: MAIN, 'X-Forwarded-For': ip, ...bearer(accessToken) },
      )
    expect(outcome(await guess(app, { email: owner.email, ip, source: 'main' }))).toBe(WRONG)
    expect(outcome(await guess(app, { email: owner.email.toUpperCase(), ip, source: 'satellite' }))).toBe(
      WRONG,
    )
    expect(outcome(await reauthenticate('wrong'))).toBe(WRONG)
    expect(outcome(await guess(app, { email: ` ${owner.email}`, ip, source: 'main' }))).toBe(WRONG)
    expect(outcome(await reauthenticate(PASSWORD))).toBe(TOO_MANY)
    for (const source of ['main', 'satellite'] as const)
      expect(outcome(await logIn(app, { email: owner.email, ip, source }))).toBe(TOO_MANY)
  })

  it('ENUM-03: are refused with the same bytes whether or not there is such a user', async () => {
    const { email } = await anOwner(app)
    const ip = anIp()
    const seen: unknown[] = []
    for (const subject of [email, anEmail()]) {
      await guesses(app, OWN, () => ({ email: subject, ip }))
      const { status, text, headers } = await guess(app, { email: subject, ip })
      const { date: _, 'x-request-id': requestId = '', 'retry-after': seconds, ...others } = headers
      expect(Number(seconds)).toBeGreaterThan(890)
      seen.push({ status, text: text.replace(requestId, ''), others })
    }
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]).toMatchObject({ status: 429 })
  })

  it('that were refused are in the audit log, with the limit', async () => {
    const email = anEmail()
    const ip = anIp()
    await guesses(app, OWN + 1, () => ({ email, ip }))
    const rows = await app.auditRows({ action: 'rate.limit', ip })
    expect(rows).toMatchObject([
      { outcome: 'refused', detail: { kind: 'password', limit: 'account and network', email } },
    ])
  })

  it('do not count when a part of the service is down', async () => {
    const limits = app.get(RateLimiter)
    const client = { requestId: 'r', ip: anIp(), userAgent: null, origin: null }
    const attempt = { kind: 'password', subject: anEmail(), client } as const
    for (let count = 0; count < 3 * OWN; count++) {
      const counted = await limits.count(attempt)
      await counted.refund()
    }
    for (let count = 0; count < OWN; count++) await limits.count(attempt)
    await expect(limits.count(attempt)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  })
})

describe('Logins with a passkey', () => {
  const app = anApp(LIMITS)

  async function aKey(): Promise<SoftwareAuthenticator> {
    const added = await addPasskey(app, await provenSession(app, await anOwner(app)))
    expect(outcome(added)).toBe('201')
    return added.authenticator
  }

  async function attempt(key: SoftwareAuthenticator, ip: string, lies = {}): Promise<string> {
    const response = key.get(await passkeyOptions(app), lies)
    const headers = { Origin: MAIN, 'X-Forwarded-For': ip }
    return outcome(await logInWithPasskey(app, response, { source: 'main' }, headers))
  }

  const INVALID = '401 PASSKEY_INVALID'
  const WRONG_SITE = { origin: 'https://evil.test' }

  it('end for one credential and network, and for no other credential or network', async () => {
    const [key, another] = [await aKey(), await aKey()]
    const ip = anIp()
    for (let count = 0; count < OWN; count++) expect(await attempt(key, ip, WRONG_SITE)).toBe(INVALID)
    expect(await attempt(key, ip)).toBe(TOO_MANY)
    expect(await attempt(another, ip)).toBe('200')
    expect(await attempt(key, anIp())).toBe('200')
    // Nor did that one forgive what was wrong here.
    expect(await attempt(key, ip)).toBe(TOO_MANY)
  })

  it('do not count as wrong when they are right', async () => {
    const key = await aKey()
    const ip = anIp()
    for (let count = 0; count < 2 * OWN; count++) expect(await attempt(key, ip)).toBe('200')
    for (let count = 0; count < OWN; count++) expect(await attempt(key, ip, WRONG_SITE)).toBe(INVALID)
    expect(await attempt(key, ip)).toBe(TOO_MANY)
  })

  slow('lock nobody out who has logged in from there before, however many strangers try', async () => {
    const key = await aKey()
    const home = anIp()
    expect(await attempt(key, home)).toBe('200')
    for (let count = 0; count < ACCOUNT; count++) expect(await attempt(key, anIp(), WRONG_SITE)).toBe(INVALID)
    expect(await attempt(key, anIp())).toBe(TOO_MANY)
    expect(await attempt(key, home)).toBe('200')
  })

  it('count for credentials that we do not know too, so that the answer does not tell', async () => {
    const unknown = new SoftwareAuthenticator({ userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' })
    const ip = anIp()
    for (let count = 0; count < OWN; count++) expect(await attempt(unknown, ip)).toBe(INVALID)
    expect(await attempt(unknown, ip)).toBe(TOO_MANY)
  })

  it('look for a network of the user also for credentials that we do not know (S13)', async () => {
    const unknown = new SoftwareAuthenticator({ userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' })
    for (let count = 0; count < ACCOUNT; count++) expect(await attempt(unknown, anIp())).toBe(INVALID)
    const lookups = jest.spyOn(app.get(KnownDevices), 'knowsNetwork')
    try {
      expect(await attempt(unknown, anIp())).toBe(TOO_MANY)
      expect(lookups).toHaveBeenCalledTimes(1)
    } finally {
      lookups.mockRestore()
    }
  })
})

describe('Attempts', () => {
  const app = anApp({
    ATTEMPT_WINDOW_SECONDS: '2',
    ATTEMPTS_PER_ACCOUNT_AND_NETWORK: '3',
    ATTEMPTS_PER_NETWORK: String(LINKS),
    ATTEMPTS_PER_ORIGIN: '8',
    ATTEMPTS_TOTAL: '12',
    MAILS_PER_ADDRESS: '5',
    MAILS_PER_NETWORK: '7',
    TRUST_PROXY: '127.0.0.1',
  })

  const windowOver = () => new Promise(resolve => setTimeout(resolve, 2_100))

  slow('wait twice as long each time, until one is right', async () => {
    const { email } = await anOwner(app)
    const attempt = { email, ip: anIp() }
    const waits: number[] = []
    for (let round = 0; round < 2; round++) {
      await guesses(app, 3, () => attempt)
      waits.push(retryAfter(await guess(app, attempt)))
      if (round === 0) await windowOver()
    }
    expect(waits[0]).toBeLessThanOrEqual(2)
    expect(waits[1]).toBeGreaterThan(2)
    await new Promise(resolve => setTimeout(resolve, 4_100))
    expect(outcome(await logIn(app, attempt))).toBe('200')
    await guesses(app, 3, () => attempt)
    expect(retryAfter(await guess(app, attempt))).toBeLessThanOrEqual(2)
  })

  it('security H3: end for no origin and not in all: the log warns, once a minute', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {})
    const limits = app.get(RateLimiter)
    for (const kind of ['password', 'passkey'] as const)
      for (let count = 0; count < 20; count++)
        await limits.count({
          kind,
          subject: anEmail(),
          client: { requestId: 'r', ip: anIp(), userAgent: null, origin: SHOP_ONE },
        })
    expect(warned.mock.calls.map(([sentence]) => sentence)).toEqual(
      ['wrong passwords', 'wrong passkeys'].flatMap(what => [
        `8 ${what} from ${SHOP_ONE} within 2 s; nobody is refused because of it`,
        `12 ${what} in all within 2 s; nobody is refused because of it`,
      ]),
    )
    warned.mockRestore()
  })

  it('at mails end for one address, sooner from one network, and for one network', async () => {
    const limits = app.get(RateLimiter)
    const ask = (subject: string, ip: string) =>
      limits
        .count({
          kind: 'mail',
          subject,
          client: { requestId: 'r', ip, userAgent: null, origin: `https://${ip}` },
        })
        .then(
          () => 'sent',
          error => error.code,
        )
    const [email, one, other] = [anEmail(), anIp(), anIp()]
    const toOne = []
    for (const ip of [one, one, one, one, other, other, other]) toOne.push(await ask(email, ip))
    const no = 'TOO_MANY_ATTEMPTS'
    expect(toOne).toEqual(['sent', 'sent', 'sent', no, 'sent', 'sent', no])
    const toMany = []
    for (let count = 0; count < 6; count++) toMany.push(await ask(anEmail(), one))
    expect(toMany).toEqual(['sent', 'sent', 'sent', 'sent', no, no])
  })

  it('do not count for mails that were never sent', async () => {
    const { email } = await anOwner(app)
    const headers = { Origin: MAIN, 'X-Forwarded-For': anIp() }
    const forgot = async () => outcome(await app.post('/api/password/forgot', { email }, headers))
    const broken = jest
      .spyOn(app.get(Users), 'findByEmail')
      .mockRejectedValue(unavailable('DATABASE_UNAVAILABLE'))
    for (let count = 0; count < 6; count++) expect(await forgot()).toBe('503 DATABASE_UNAVAILABLE')
    broken.mockRestore()
    const answers = []
    for (let count = 0; count < 4; count++) answers.push(await forgot())
    expect(answers).toEqual(['202', '202', '202', TOO_MANY])
  })

  it('at mailed links end for one network', async () => {
    const limits = app.get(RateLimiter)
    const client = { requestId: 'r', ip: anIp(), userAgent: null, origin: SHOP_ONE }
    const attempt = { kind: 'link', subject: '', client } as const
    await limits.count(attempt)
    for (let count = 0; count < 20; count++) {
      const counted = await limits.count(attempt)
      await counted.succeeded()
    }
    for (let count = 1; count < LINKS; count++) await limits.count(attempt)
    await expect(limits.count(attempt)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  })
})

describe('Attempt counters in Redis', () => {
  let redis: RedisServer
  let app: TestApp
  beforeAll(async () => {
    // It is to come back with what it had: an empty one serves nobody until an operator says so.
    redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
    // Short, since much of this waits for a Redis that does not answer.
    const stores = { SESSION_STORE_URL: redis.url, SESSION_STORE_TIMEOUT_MS: '500' }
    app = await TestApp.start({ ...LIMITS, ...stores })
  })
  afterAll(async () => {
    await app?.stop()
    await redis?.stop()
  })

  const keys = async () => (await redisCli(redis.port, 'KEYS', 'attempts:*')).split('\n').filter(Boolean)

  slow('name nobody, expire, and grow no further in a flood', async () => {
    const ip = anIp()
    await guesses(app, NETWORK, () => ({ email: 'somebody@example.com', ip: anIp() }))
    await guesses(app, NETWORK, () => ({ email: anEmail(), ip }))
    const before = await keys()
    expect(before.length).toBeGreaterThan(NETWORK)
    for (const key of before)
      expect(key).toMatch(/^attempts:password:(right:)?[a-z-]+:[\w-]{22}(:offences)?$/)
    const ttls = (await redisCli(redis.port, 'EVAL', TTL_OF_ALL, String(before.length), ...before)).split(
      '\n',
    )
    expect(ttls).toHaveLength(before.length)
    for (const ttl of ttls) expect(Number(ttl)).toBeGreaterThan(0)
    await guesses(app, 100, () => ({ email: anEmail(), ip }))
    expect((await keys()).length).toBe(before.length)
  })

  onServers('are the same for every replica', async () => {
    const { email } = await anOwner(app)
    const other = await TestApp.start({ ...LIMITS, ...app.stores })
    try {
      const ip = anIp()
      await guesses(app, OWN, () => ({ email, ip }))
      expect(outcome(await guess(other, { email, ip }))).toBe(TOO_MANY)
    } finally {
      await other.stop()
    }
  })

  slow.each<[string, NodeJS.Signals, () => Promise<void>]>([
    ['crashed', 'SIGKILL', () => redis.restart()],
    ['hanging', 'SIGSTOP', () => redis.kill('SIGCONT')],
  ])('are kept in memory while it is %s', async (_, signal, revive) => {
    const { email } = await anOwner(app)
    const ip = anIp()
    await eventually(isCountedInRedis, { what: 'Redis to be asked again', everyMs: 200 })
    expect(outcome(await guess(app, { email, ip }))).toBe(WRONG)
    await redis.kill(signal)
    try {
      expect(await guesses(app, OWN + 1, () => ({ email, ip }))).toEqual([
        ...Array(OWN - 1).fill(WRONG),
        ...[TOO_MANY, TOO_MANY],
      ])
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => guess(app, { email, ip: '10.200.0.1' })),
      )
      expect(answers.map(outcome).filter(what => what === WRONG)).toHaveLength(OWN)
      // No login is kept out by the outage.
      const rightOnes = []
      const home = anIp()
      for (let count = 0; count < OWN + 2; count++)
        rightOnes.push(outcome(await logIn(app, { email: anotherEmail, ip: home })))
      expect(new Set(rightOnes)).toEqual(new Set(['200']))
    } finally {
      await revive()
    }
    await eventually(async () => outcome(await logIn(app, { email, ip: anIp() })) === '200', {
      what: 'the login to work again',
      everyMs: 200,
    })
  })

  async function isCountedInRedis() {
    const before = await keys()
    await guess(app, { email: anEmail(), ip: anIp() })
    return (await keys()).length > before.length
  }

  let anotherEmail: string
  beforeAll(async () => {
    anotherEmail = (await anOwner(app)).email
  })
})
