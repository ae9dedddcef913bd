import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { addressWithoutPort } from './network.js'

/** Where a request came from, as recorded by sessions and the audit log. */
export interface Client {
  readonly requestId: string
  /**
   * Behind a proxy in TRUST_PROXY, the address that it reports, without its port; otherwise the socket's. `unknown`
   * if the client disconnected before we read its address.
   */
  readonly ip: string
  /** At most {@link MAX_USER_AGENT_BYTES} bytes; null when none was sent. */
  readonly userAgent: string | null
  /** The browser's origin; null outside browsers. Always a listed one: the CORS hook has refused all others. */
  readonly origin: string | null
  /** The header as sent (RFC 9110 §12.5.4); absent without one. */
  readonly acceptLanguage?: string | undefined
}

/**
 * A Redis hash stays in its compact form while every field is at most this long (hash-max-listpack-value).
 */
export const MAX_USER_AGENT_BYTES = 64
/** A refused origin can be any text; this much is enough to identify it. */
const MAX_ORIGIN_LENGTH = 300

export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(requestOf(context)),
)

/** The request that a guard or a parameter decorator is called for. */
export function requestOf(context: ExecutionContext): FastifyRequest {
  return context.getArgByIndex<FastifyRequest>(0)
}

export function clientOf(request: FastifyRequest): Client {
  return new RequestClient(request)
}

/** Address and User-Agent are computed on demand, because most refreshes need only the origin. */
class RequestClient implements Client {
  readonly requestId: string
  readonly origin: string | null
  // Private, so that logging a client never prints the request's cookies.
  readonly #request: FastifyRequest
  #userAgent: string | null | undefined

  constructor(request: FastifyRequest) {
    this.#request = request
    this.requestId = request.id
    this.origin = request.headers.origin?.slice(0, MAX_ORIGIN_LENGTH) ?? null
  }

  get ip(): string {
    const ip = this.#request.ip as string | undefined
    return ip === undefined ? 'unknown' : addressWithoutPort(ip)
  }

  get acceptLanguage(): string | undefined {
    return this.#request.headers['accept-language']
  }

  get userAgent(): string | null {
    if (this.#userAgent === undefined) this.#userAgent = shortUserAgent(this.#request.headers['user-agent'])
    return this.#userAgent
  }
}

/** What every browser has claimed for years; dropping it leaves room for what tells browsers apart. */
const BOILERPLATE =
  /Mozilla\/5\.0 |AppleWebKit\/[\d.]+ |\(KHTML, like Gecko\) |Gecko\/20100101 |Mobile\/15E148 |Safari\/537\.36 (?=\w)| Safari\/537\.36$/g

/** The distinctive part of a User-Agent in printable ASCII, at most 64 bytes. */
export function shortUserAgent(userAgent: string | undefined): string | null {
  const short = userAgent
    ?.slice(0, 1_000)
    .replace(BOILERPLATE, '')
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, MAX_USER_AGENT_BYTES)
    .trim()
  return short || null
}
