import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'

const TIMEOUT_MS = 10_000

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

/** Where the service is asked. */
export interface Target {
  /** Such as `https://api.example.com`, with the path before that of the API, if any. */
  readonly origin: URL
  /** Where the connection goes instead, such as to one of its replicas; null leaves it to the name. */
  readonly at: URL | null
  /** Further certificate authorities to trust, PEM. */
  readonly ca: string | null
}

/**
 * Asks on a connection of its own, so that a load balancer may choose another replica each time. Follows no
 * redirect, keeps no cookie. With `isUnverified` any certificate will do: for what has no secret in it, once a
 * bad certificate has been reported.
 */
export async function ask(
  { origin, at, ca }: Target,
  { method = 'GET', path, headers = {} }: Question,
  { isUnverified = false } = {},
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
      timeout: TIMEOUT_MS,
      rejectUnauthorized: !isUnverified,
      ...(ca && { ca: [ca] }),
      headers: { Host: origin.host, 'Content-Length': '0', 'Cache-Control': 'no-cache', ...headers },
    })
    message.once('timeout', () => message.destroy(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)))
    message.once('error', reject)
    message.once('response', resolve)
    message.end()
  })
  const socket = response.socket as TLSSocket
  const certificate = 'getPeerCertificate' in socket ? (socket.getPeerCertificate().raw ?? null) : null
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    setCookies: response.headers['set-cookie'] ?? [],
    certificate,
    text: (await buffer(response)).toString('utf8'),
    sentAt,
    answeredAt: new Date(),
  }
}
