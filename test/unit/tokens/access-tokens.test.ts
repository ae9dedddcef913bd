import { createPrivateKey } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { JwtService } from '@nestjs/jwt'
import { jwtVerify, SignJWT } from 'jose'
import {
  AccessTokens,
  type Caller,
  Clock,
  generateKeys,
  keyFileText,
  loadKeys,
  Metrics,
  newKeySet,
  permissionsOf,
  replaceKeys,
  rotateKeys,
  type Settings,
  SigningKeys,
  type StoredKey,
  secondsAfter,
  unixSeconds,
} from '../../sources.js'

const START = new Date('2026-01-01T00:00:00.700Z')
const TOKEN_SECONDS = 900
/** A retired key verifies ten minutes longer than its last token lives. */
const RETIRED_SECONDS = TOKEN_SECONDS + 600
const CALLER: Caller = {
  userId: 'user-1',
  accountId: 'account-1',
  sid: 'handle',
  source: 'main',
  clientId: 'main',
  permissions: permissionsOf(['payments', 'viewReports']),
  authTime: unixSeconds(START) - 30,
  amr: ['pwd', 'otp'],
  acr: 'urn:mainstay:acr:2',
}

class SetClock extends Clock {
  time = START
  override now(): Date {
    return this.time
  }
}

let folder: string
let file: string
let clock: SetClock
let keys: SigningKeys
let tokens: AccessTokens
let metrics: Metrics

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-tokens-'))
  file = join(folder, 'keys.json')
  clock = new SetClock()
  await start()
})
afterEach(async () => {
  keys.onApplicationShutdown()
  await rm(folder, { recursive: true })
})

async function start(environment = 'test'): Promise<void> {
  const settings = {
    jwtKeysFile: file,
    jwtIssuer: 'https://api.test',
    jwtAudience: 'https://data.test',
    accessTokenTtlSeconds: TOKEN_SECONDS,
    environment,
  } as unknown as Settings
  metrics = new Metrics()
  keys = new SigningKeys(settings, clock, metrics)
  tokens = new AccessTokens(new JwtService(), keys, clock, settings)
  await keys.onModuleInit()
}

/** As another replica has it after a restart: without anything that it has seen before. */
async function restart(environment?: string): Promise<void> {
  keys.onApplicationShutdown()
  await start(environment)
}

async function storedKeys(): Promise<StoredKey[]> {
  return JSON.parse(await readFile(file, 'utf8')).keys
}

function parts(token: string) {
  const [header, payload] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header as string), payload: JSON.parse(payload as string) }
}

/** Signed with the current key, but otherwise as the test wants it. */
async function signed(header: object, claims: object = {}): Promise<string> {
  const { payload } = parts(tokens.issue(CALLER))
  return new SignJWT({ ...payload, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keys.current.kid, ...header })
    .sign(keys.current.privateKey)
}

const at = (seconds: number) => {
  clock.time = secondsAfter(START, seconds)
}

describe('an access token', () => {
  it('says who calls, for whom it is, and until when', () => {
    const { header, payload } = parts(tokens.issue(CALLER))
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys.current.kid })
    const issuedAt = unixSeconds(START)
    expect(payload).toEqual({
      iss: 'https://api.test',
      aud: 'https://data.test',
      sub: 'user-1',
      userId: 'user-1',
      accountId: 'account-1',
      sid: 'handle',
      source: 'main',
      client_id: 'main',
      permissions: CALLER.permissions,
      auth_time: CALLER.authTime,
      amr: ['pwd', 'otp'],
      acr: 'urn:mainstay:acr:2',
      iat: issuedAt,
      exp: issuedAt + TOKEN_SECONDS,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('is accepted by another implementation, whatever its claims contain', async () => {
    const token = tokens.issue({ ...CALLER, sid: 'Zoë', clientId: null })
    const { payload, protectedHeader } = await jwtVerify(token, keys.current.publicKey, {
      algorithms: ['ES256'],
      currentDate: START,
    })
    expect(payload).toMatchObject({ sub: 'user-1', sid: 'Zoë', client_id: null })
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys.current.kid })
  })

  it('gives its caller back, also when it is shown again', () => {
    const token = tokens.issue(CALLER)
    const first = tokens.verify(token)
    expect(first).toMatchObject(CALLER)
    expect(tokens.verify(token)).toBe(first)
  })

  it.each([
    ['in its last second', TOKEN_SECONDS - 1, true],
    ['where another clock is four seconds ahead', TOKEN_SECONDS + 4, true],
    ['five seconds after its end', TOKEN_SECONDS + 5, false],
  ])('%s', async (_, seconds, isValid) => {
    const token = tokens.issue(CALLER)
    tokens.verify(token)
    at(seconds)
    // Whether or not it has been seen before.
    expect(tokens.verify(token) !== null).toBe(isValid)
    await restart()
    expect(tokens.verify(token) !== null).toBe(isValid)
  })
})

describe('verify refuses', () => {
  it.each([
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['an extension that has to be understood', { crit: ['exp'] }],
    ['an unknown key', { kid: 'unknown' }],
    ['a key by its position', { kid: 0 as never }],
    ['no key', { kid: undefined }],
  ])('a signed token of %s', async (_, header) => {
    const token = await signed(header as object).catch(() => forgedHeader(header))
    expect(tokens.verify(token)).toBeNull()
  })

  /** What jose does not want to sign. */
  function forgedHeader(header: object): string {
    return withHeader({ alg: 'ES256', typ: 'at+jwt', kid: keys.current.kid, ...header })
  }

  function withHeader(header: unknown): string {
    const [, payload, signature] = tokens.issue(CALLER).split('.')
    return [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, signature].join('.')
  }

  it('what is no token, or has no header', () => {
    const [, payload, signature] = tokens.issue(CALLER).split('.')
    const texts = ['', 'a.b.c', 'not a token', ['bm90IGpzb24', payload, signature].join('.')]
    const headers = [null, 7, 'text', [], {}].map(withHeader)
    expect([...texts, ...headers].filter(text => tokens.verify(text) !== null)).toEqual([])
  })

  it('another spelling of the same signature, so that one token has one', () => {
    const token = tokens.issue(CALLER)
    // The last letter stands for two bits of the signature and four that mean nothing.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const other = letters[letters.indexOf(token.at(-1) as string) + 1]
    const respelt = token.slice(0, -1) + other
    expect(Buffer.from(respelt.split('.')[2] as string, 'base64url')).toEqual(
      Buffer.from(token.split('.')[2] as string, 'base64url'),
    )
    expect(tokens.verify(respelt)).toBeNull()
    expect(tokens.verify(`${token}=`)).toBeNull()
  })

  it('a token longer than any of ours, although it is signed', async () => {
    expect(tokens.verify(await signed({}, { more: 'x'.repeat(4_096) }))).toBeNull()
  })

  it('another algorithm, whatever key it names', () => {
    expect(tokens.verify(withHeader({ alg: 'none', typ: 'at+jwt', kid: keys.current.kid }))).toBeNull()
    expect(tokens.verify(withHeader({ alg: 'HS256', typ: 'at+jwt', kid: keys.current.kid }))).toBeNull()
  })

  it('a payload that was changed', async () => {
    const [header, , signature] = tokens.issue(CALLER).split('.')
    const [, payload] = tokens
      .issue({ ...CALLER, permissions: permissionsOf(['accountSettings']) })
      .split('.')
    expect(tokens.verify([header, payload, signature].join('.'))).toBeNull()
  })

  it('a signed token for somebody else, or that lives too long', async () => {
    expect(tokens.verify(await signed({}, { aud: 'https://api.test' }))).toBeNull()
    expect(tokens.verify(await signed({}, { iss: 'https://data.test' }))).toBeNull()
    const tooLong = unixSeconds(START) + TOKEN_SECONDS + 1
    expect(tokens.verify(await signed({}, { exp: tooLong }))).toBeNull()
    expect(tokens.verify(await signed({}))).toMatchObject(CALLER)
  })

  it('a token of another key under the kid of ours', async () => {
    const [other] = newKeySet(START) as [StoredKey]
    const token = await new SignJWT(parts(tokens.issue(CALLER)).payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keys.current.kid })
      .sign(createPrivateKey({ key: other.jwk, format: 'jwk' }))
    expect(tokens.verify(token)).toBeNull()
  })
})

describe('the keys', () => {
  it('of a new installation are made at its start, for their owner alone', async () => {
    const stored = await storedKeys()
    expect(stored.map(({ state, createdAt }) => [state, createdAt])).toEqual([
      ['current', START.toISOString()],
      ['next', START.toISOString()],
    ])
    expect(keys.current.kid).toBe(stored[0]?.kid)
    await expect(generateKeys(file, START)).rejects.toThrow('already exists')
  })

  it('are never made in production', async () => {
    await rm(file)
    await expect(restart('production')).rejects.toThrow(`JWT_KEYS_FILE ${file} cannot be used`)
    await expect(readFile(file)).rejects.toThrow('ENOENT')
  })

  it('are the thumbprints of RFC 7638, so that a key has one name everywhere', async () => {
    // The example of RFC 7638 §3.1 is of RSA; this one was computed with `jose`.
    const { calculateJwkThumbprint } = await import('jose')
    for (const { kid, jwk } of await storedKeys())
      expect(kid).toBe(await calculateJwkThumbprint(jwk as never))
  })

  it('say since when they are in use, to the metrics', async () => {
    await rotateAfter(600)
    const [gauge] = metrics.gauges.filter(({ name }) => name === 'signing_key_created_timestamp_seconds')
    expect(gauge?.label).toBe('state')
    expect(gauge?.read()).toEqual({ current: unixSeconds(START) + 600, next: unixSeconds(START) + 600 })
  })

  it('refuse a rotation of a file that cannot be read, and leave it as it is', async () => {
    const [current] = await storedKeys()
    const broken = keyFileText([current as StoredKey, current as StoredKey])
    await writeFile(file, broken)
    at(600)
    await expect(rotateKeys(file, clock.now(), TOKEN_SECONDS)).rejects.toThrow(`JWT_KEYS_FILE ${file}`)
    await expect(replaceKeys(file, clock.now())).rejects.toThrow(`JWT_KEYS_FILE ${file}`)
    await expect(loadKeys(file)).rejects.toThrow('exactly one key must be current')
    expect(await readFile(file, 'utf8')).toBe(broken)
  })

  async function rotateAfter(seconds: number): Promise<void> {
    at(seconds)
    await rotateKeys(file, clock.now(), TOKEN_SECONDS)
    await restart()
  }

  it('that are retired verify until the last token of theirs has expired, and are published as long', async () => {
    const old = keys.current.kid
    await rotateAfter(600)
    expect(keys.published().map(({ state }) => state)).toEqual(['current', 'next', 'retired'])
    expect(keys.current.kid).not.toBe(old)
    at(600 + RETIRED_SECONDS - 1)
    expect(keys.verifying(old)?.kid).toBe(old)
    at(600 + RETIRED_SECONDS)
    expect(keys.verifying(old)).toBeNull()
    expect(keys.published().map(({ state }) => state)).toEqual(['current', 'next'])
    expect(keys.verifying('unknown')).toBeNull()
  })

  it('tell who listens when they have changed', async () => {
    keys.onApplicationShutdown()
    const changes: string[] = []
    keys.onChange(() => changes.push(keys.current.kid))
    await keys.onModuleInit()
    // Starting again reads the same keys once more, which whoever holds on to the old ones has to know.
    expect(changes).toEqual([keys.current.kid])
  })

  it('tell nobody when they are read for the first time', async () => {
    const changes: string[] = []
    const fresh = new SigningKeys({ jwtKeysFile: file } as Settings, clock, new Metrics())
    fresh.onChange(() => changes.push(fresh.current.kid))
    await fresh.onModuleInit()
    fresh.onApplicationShutdown()
    expect(fresh.current.kid).toBe(keys.current.kid)
    expect(changes).toEqual([])
  })

  it('end their tokens at once when replaced, also those that were seen before', async () => {
    const token = tokens.issue(CALLER)
    expect(tokens.verify(token)).not.toBeNull()
    await replaceKeys(file, clock.now())
    keys.onApplicationShutdown()
    await keys.onModuleInit()
    expect(tokens.verify(token)).toBeNull()
  })
})
