import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Settings } from '../../config/settings.js'
import type { ErrorCode } from '../../errors/api-error.js'

/**
 * Set on every response, besides Strict-Transport-Security. An API is never framed, sniffed, embedded or cached
 * (OWASP REST Security, ASVS 3.4). `Vary: Origin` because the CORS headers depend on it, even where there are
 * none (Fetch, CORS and HTTP caches). The names are in lower case, which saves Fastify a copy of each.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  vary: 'Origin',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-site',
}

/** Responses may belong to one user. Public, stable routes set their own header. */
const OF_API = { ...SECURITY_HEADERS, 'cache-control': 'no-store' }

/**
 * At a host that is not certainly ours: one of a satellite, whatever its state. The names below it are the
 * customer's, and may not have https.
 */
export const HEADERS_OF_ANY_HOST = { ...OF_API, 'strict-transport-security': 'max-age=31536000' }
const HEADERS_OF_OURS = { ...OF_API, 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

/** Sets the headers that every response starts with. */
export function responseHeaders({ publicUrl, mainOrigin, operators }: Settings) {
  const addresses = [publicUrl, mainOrigin, ...(operators ? [operators.origin] : [])]
  const ours = new Set(addresses.map(address => new URL(address).host))
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const headers = ours.has(request.headers.host ?? '') ? HEADERS_OF_OURS : HEADERS_OF_ANY_HOST
    reply.headers(headers).header('x-request-id', request.id)
  }
}

/** Called for every response, so it must be cheap. */
export interface ResponseObserver {
  /** `url` is the path with its query, as the client sent it. */
  responded(method: string, url: string, status: number, milliseconds: number): void
  /** A refusal that is about to be sent, including those that the server's parser made before there was a request. */
  refused(code: ErrorCode): void
}

/** One line per request when it is answered: what, from where, status and milliseconds. */
export class RequestLog extends LogController {
  constructor(private readonly observer: ResponseObserver) {
    super()
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { elapsedTime } = reply
    this.observer.responded(request.method, request.raw.url ?? '', reply.statusCode, elapsedTime)
    const milliseconds = Math.round(elapsedTime * 10) / 10
    request.log.info({ req: request, res: reply, milliseconds, ...(error && { err: error }) }, 'request')
  }
}
