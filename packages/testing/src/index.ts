import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ACRS, type Caller, PERMISSIONS, type Permission } from '@mainstay-auth/verify'
import { ALGORITHM, TOKEN_TYPE } from '@mainstay-auth/verify/token-rules'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** Whose token it is; whatever is left out is that of an owner on the main site, or else of a member. */
export interface TestClaims extends Partial<Omit<Caller, 'permissions'>> {
  /** Those that are granted: by default all that the source can have. */
  readonly permissions?: readonly Permission[]
  /** 900 by default, as with a service. */
  readonly expiresInSeconds?: number
}

/** Tokens that a backend must refuse with 401, by what is wrong with them. */
export type RefusedTokens = Readonly<
  Record<
    | 'expired'
    | 'signedByAnother'
    | 'changed'
    | 'unsigned'
    | 'ofAnotherIssuer'
    | 'forAnotherAudience'
    | 'ofAnotherType',
    string
  >
>

export interface TestMainstayOptions {
  /** `iss` of the tokens: where it listens, by default. With another, give the verifier its `jwksUrl` too. */
  readonly issuer?: string
  /** The issuer by default. */
  readonly audience?: string
}

/** Stands for a Mainstay service in tests: publishes a key, and signs tokens with it. */
export interface TestMainstay {
  readonly issuer: string
  readonly jwksUrl: string
  /** What is published there. */
  readonly jwks: { readonly keys: readonly JWK[] }
  /** A token as a service would issue it now. Throws a TypeError for permissions that a satellite's never has. */
  readonly token: (claims?: TestClaims) => Promise<string>
  /** Tokens like {@link token}'s, but for one thing each. */
  readonly refusedTokens: (claims?: TestClaims) => Promise<RefusedTokens>
  /** Publishes nothing any more. It keeps no process running, so tests may end without. */
  readonly close: () => Promise<void>
}

/** Listens on a free port of this machine alone, for any verifier in any language. */
export async function startTestMainstay({
  issuer,
  audience,
}: TestMainstayOptions = {}): Promise<TestMainstay> {
  const [key, another] = await Promise.all([newKey(), newKey()])
  const jwks = { keys: [key.jwk] }
  const server = createServer((request, response) => {
    const found = published[request.url?.split('?')[0] ?? '']
    response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(found ?? {}))
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const jwksUrl = `${url}/.well-known/jwks.json`
  const metadata = {
    issuer: issuer ?? url,
    jwks_uri: jwksUrl,
    response_types_supported: [],
    id_token_signing_alg_values_supported: [ALGORITHM],
  }
  const published: Readonly<Record<string, object>> = {
    '/.well-known/jwks.json': jwks,
    '/.well-known/oauth-authorization-server': metadata,
    '/.well-known/openid-configuration': metadata,
  }
  const frame = { iss: issuer ?? url, aud: audience ?? issuer ?? url }
  return {
    issuer: frame.iss,
    jwksUrl,
    jwks,
    token: async claims => sign(payloadOf(frame, claims), key),
    refusedTokens: async claims => refusedTokens(frame, claims, key, another),
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Key {
  readonly privateKey: CryptoKey
  readonly jwk: JWK & { readonly kid: string }
}

async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM)
  const jwk = await exportJWK(publicKey)
  return { privateKey, jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: 'sig' } }
}

interface Frame {
  readonly iss: string
  readonly aud: string
}

type Payload = Frame & Readonly<Record<string, unknown>> & { readonly iat: number; readonly exp: number }

const OF_SATELLITES: readonly Permission[] = ['dataEntry', 'viewReports']

/** The claims of a service's token: see docs/integrate/backends.md. */
function payloadOf(frame: Frame, claims: TestClaims = {}): Payload {
  const now = Math.floor(Date.now() / 1000)
  const { source = 'main', userId = randomUUID(), expiresInSeconds = 900 } = claims
  const possible = source === 'main' ? PERMISSIONS : OF_SATELLITES
  const { permissions = possible } = claims
  const impossible = permissions.filter(name => !possible.includes(name))
  if (impossible.length > 0) throw new TypeError(`A ${source} session never has ${impossible.join(', ')}`)
  // One that has expired was issued before.
  const iat = Math.min(now, now + expiresInSeconds - 900)
  return {
    ...frame,
    sub: userId,
    userId,
    accountId: claims.accountId ?? randomUUID(),
    sid: claims.sid ?? createHash('sha256').update(randomBytes(16)).digest('base64url'),
    source,
    client_id: claims.clientId === undefined ? (source === 'main' ? 'main' : 'mobile') : claims.clientId,
    permissions: Object.fromEntries(PERMISSIONS.map(name => [name, permissions.includes(name)])),
    auth_time: claims.authTime === undefined ? iat : claims.authTime,
    amr: claims.amr ?? ['pwd'],
    acr: claims.acr === undefined ? ACRS[0] : claims.acr,
    iat,
    exp: now + expiresInSeconds,
    jti: randomUUID(),
  }
}

function sign(payload: Payload, { privateKey, jwk: { kid } }: Key, typ = TOKEN_TYPE): Promise<string> {
  return new SignJWT({ ...payload }).setProtectedHeader({ alg: ALGORITHM, typ, kid }).sign(privateKey)
}

async function refusedTokens(
  frame: Frame,
  claims: TestClaims = {},
  key: Key,
  another: Key,
): Promise<RefusedTokens> {
  const payload = payloadOf(frame, claims)
  const elsewhere = 'https://elsewhere.invalid'
  const [header, , signature] = (await sign(payload, key)).split('.')
  const [expired, signedByAnother, ofAnotherIssuer, forAnotherAudience, ofAnotherType] = await Promise.all([
    sign(payloadOf(frame, { ...claims, expiresInSeconds: -60 }), key),
    // Under the name of the right one.
    sign(payload, { ...another, jwk: key.jwk }),
    sign({ ...payload, iss: elsewhere }, key),
    sign({ ...payload, aud: elsewhere }, key),
    // Such as an ID token.
    sign(payload, key, 'JWT'),
  ])
  return {
    expired,
    signedByAnother,
    ofAnotherIssuer,
    forAnotherAudience,
    ofAnotherType,
    changed: [header, segment({ ...payload, sub: elsewhere, userId: elsewhere }), signature].join('.'),
    unsigned: [segment({ alg: 'none', typ: TOKEN_TYPE }), segment(payload), ''].join('.'),
  }
}

function segment(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
