import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import * as tls from 'node:tls'

const TIMEOUT_MS = 20_000
/** Larger than any answer that is expected here. */
const MAX_BYTES = 1024 * 1024

export interface Question {
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

/** Where to ask the service. */
export interface Target {
  /** Such as `https://api.example.com`, with any path prefix of the API. */
  readonly origin: URL
  /** Where the connection goes instead, such as to one of its replicas; null resolves the name. */
  readonly at: URL | null
  readonly trust: Trust
}

/** The options of a connection that say whom it trusts. */
export type Trust = () => Pick<tls.ConnectionOptions, 'secureContext'>

/** The usual authorities and this one (PEM). Made once: to read the usual ones takes longer than a request. */
export function trusting(ca: string | null): Trust {
  if (ca === null) return () => ({})
  let secureContext: tls.SecureContext | undefined
  return () => {
    secureContext ??= tls.createSecureContext({ ca: [...usualAuthorities(), ca] })
    return { secureContext }
  }
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
      hostname: to.hostname.replace(/^\[|\]$/g, ''),
      port: to.port || (to.protocol === 'https:' ? 443 : 80),
      servername: origin.hostname,
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
