import { randomBytes, randomUUID } from 'node:crypto'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import * as tls from 'node:tls'
import { ALGORITHM, TOKEN_TYPE } from '@mainstay-auth/verify/token-rules'
import { SignJWT } from 'jose'
import { hostOf, isLoopback } from '../../platform/config/origin.js'
import type { Settings } from '../../platform/config/settings.js'
import { permissionsOf } from '../../platform/permissions.js'
import { type Clock, unixSeconds } from '../../platform/time.js'
import { accessTokenClaims } from '../../tokens/access-tokens.js'
import { loadKeys } from '../../tokens/signing-keys.js'

/** The running service as its clients reach it. */
export class Outside {
  /** Set when its certificate was found to be wrong: it is still asked, but nothing secret is sent. */
  isUnverified = false

  constructor(
    readonly target: Target,
    readonly settings: Settings,
    readonly clock: Clock,
    /** Further servers, which have to agree with it. */
    readonly replicas: readonly URL[],
  ) {}

  get origin(): URL {
    return this.target.origin
  }

  get isPublicUrl(): boolean {
    return this.origin.href.replace(/\/+$/, '') === this.settings.publicUrl
  }

  /**
   * Why no token is sent to it; null when one is. A mistyped name must not hand one to
   * an attacker; servers named by `--at` and `--replica` are the operator's own.
   */
  get reasonForNoToken(): string | null {
    const { protocol, hostname } = this.origin
    if (this.isUnverified) return 'no token is sent over a certificate that is not valid'
    if (!this.isPublicUrl) return 'a token is sent to PUBLIC_URL alone'
    if (protocol !== 'https:' && !isLoopback(hostname)) return 'no token is sent without TLS'
    return null
  }

  ask(question: Question, at: URL | null = this.target.at): Promise<HttpAnswer> {
    return ask({ ...this.target, at }, question, { isUnverified: this.isUnverified })
  }
}

/** Where to ask the service. */
interface Target {
  /** Such as `https://api.example.com`, with any path prefix of the API. */
  readonly origin: URL
  /** Where the connection goes instead, such as to one of its replicas; null resolves the name. */
  readonly at: URL | null
  readonly trust: Trust
}

/** The options of a connection that say whom it trusts. */
type Trust = () => Pick<tls.ConnectionOptions, 'secureContext'>

/** The usual authorities and this one (PEM). Made once: to read the usual ones takes longer than a request. */
export function trusting(ca: string | null): Trust {
  if (ca === null) return () => ({})
  let secureContext: tls.SecureContext | undefined
  return () => {
    secureContext ??= tls.createSecureContext({ ca: [...usualAuthorities(), ca] })
    return { secureContext }
  }
}

const TIMEOUT_MS = 20_000
/** Larger than any answer that is expected here. */
const MAX_BYTES = 1024 * 1024

interface Question {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers']
  readonly setCookies: readonly string[]
  readonly text: string
  /** Of the server, DER; null over http. */
  readonly certificate: Buffer | null
  readonly sentAt: Date
  readonly answeredAt: Date
}

/**
 * Asks on a connection of its own, so that a load balancer may choose another replica each time. Follows no
 * redirect, keeps no cookie. With `isUnverified` any certificate will do: only for requests without secrets, once
 * a bad certificate has been reported.
 */
export async function ask(
  target: Target,
  question: Question,
  { isUnverified = false, patienceMs = TIMEOUT_MS } = {},
): Promise<HttpAnswer> {
  // For the whole exchange: a server that sends a byte now and then must not keep us waiting.
  const signal = AbortSignal.timeout(patienceMs)
  try {
    return await answerOf(target, question, { isUnverified, signal })
  } catch (error) {
    throw signal.aborted ? new Error(`no answer in ${patienceMs / 1000} s`) : error
  }
}

async function answerOf(
  { origin, at, trust }: Target,
  { method = 'GET', path, headers = {} }: Question,
  { isUnverified, signal }: { readonly isUnverified: boolean; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const to = at ?? origin
  const send = to.protocol === 'https:' ? requestHttps : requestHttp
  const sentAt = new Date()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const message = send({
      hostname: hostOf(to),
      port: to.port || (to.protocol === 'https:' ? 443 : 80),
      servername: hostOf(origin),
      method,
      path: origin.pathname.replace(/\/+$/, '') + path,
      agent: false,
      signal,
      rejectUnauthorized: !isUnverified,
      ...trust(),
      headers: { Host: origin.host, 'Content-Length': '0', 'Cache-Control': 'no-cache', ...headers },
    })
    message.once('error', reject)
    message.once('response', resolve)
    message.end()
  })
  const socket = response.socket as tls.TLSSocket
  const certificate = 'getPeerCertificate' in socket ? (socket.getPeerCertificate().raw ?? null) : null
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    setCookies: response.headers['set-cookie'] ?? [],
    certificate,
    text: await textOf(response),
    sentAt,
    answeredAt: new Date(),
  }
}

/** Rejects when it is too long; that ends the connection. */
async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`an answer of more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Node's default list, including NODE_EXTRA_CA_CERTS; older versions have only the list that they ship with. */
function usualAuthorities(): readonly string[] {
  return typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
}

/** Long enough for a slow answer and the largest clock difference that is still accepted. */
const LIFETIME_SECONDS = 60

/**
 * An access token of no user, signed with the current key of JWT_KEYS_FILE: no such user, no such session, no
 * permission. A replica accepts it when its keys, JWT_ISSUER and JWT_AUDIENCE are ours. Rejects when the file
 * cannot be used.
 */
export async function doctorToken(settings: Settings, now: Date): Promise<string> {
  const keys = await loadKeys(settings.jwtKeysFile)
  const current = keys.find(({ state }) => state === 'current') as (typeof keys)[number]
  const noUser = {
    userId: randomUUID(),
    accountId: randomUUID(),
    sid: randomBytes(32).toString('base64url'),
    source: 'main',
    clientId: 'main',
    permissions: permissionsOf([]),
    authTime: null,
    amr: [],
    acr: null,
  } as const
  const claims = accessTokenClaims(noUser, {
    issuer: settings.jwtIssuer,
    audience: settings.jwtAudience,
    issuedAt: unixSeconds(now),
    lifetimeSeconds: Math.min(LIFETIME_SECONDS, settings.accessTokenTtlSeconds),
  })
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, kid: current.kid })
    .sign(current.privateKey)
}
