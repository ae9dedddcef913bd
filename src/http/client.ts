import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'

/** Where a request came from, as far as sessions and the audit log record it. */
export interface Client {
  readonly requestId: string
  /** Behind a proxy of TRUST_PROXY, the address that it reports; otherwise the socket's. */
  readonly ip: string
  /** At most {@link MAX_USER_AGENT_BYTES} bytes; null when none was sent. */
  readonly userAgent: string | null
  /**
   * The browser's origin; null outside browsers. It is listed, or the CORS hook has already refused the
   * request.
   */
  readonly origin: string | null
}

/** A Redis hash stays in its compact form while every field is at most this long (hash-max-listpack-value). */
export const MAX_USER_AGENT_BYTES = 64
/** A refused origin can be any text; this much of it identifies it. */
const MAX_ORIGIN_LENGTH = 300

export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientOf(context.switchToHttp().getRequest<FastifyRequest>()),
)

/** Computed on demand, because most refreshes need only the origin. */
export function clientOf(request: FastifyRequest): Client {
  let userAgent: string | null | undefined
  return {
    requestId: request.id,
    origin: request.headers.origin?.slice(0, MAX_ORIGIN_LENGTH) ?? null,
    get ip() {
      return request.ip.replace(/^::ffff:(?=\d+\.)/, '')
    },
    get userAgent() {
      if (userAgent === undefined) userAgent = shortUserAgent(request.headers['user-agent'])
      return userAgent
    },
  }
}

/** What every browser has claimed for years; dropping it leaves room for what distinguishes browsers. */
const BOILERPLATE =
  /Mozilla\/5\.0 |AppleWebKit\/[\d.]+ |\(KHTML, like Gecko\) |Gecko\/20100101 |Mobile\/15E148 |Safari\/537\.36 (?=\w)/g

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
