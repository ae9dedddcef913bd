// What was decided here, and why: docs/decisions/http.md
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import cookie from '@fastify/cookie'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Settings } from '../../config/settings.js'
import { ApiError } from '../../errors/api-error.js'
import type { ErrorCode } from '../../errors/error-codes.js'
import { answerProblem, PROBLEM_CONTENT_TYPE, problemOf } from '../../errors/problem.filter.js'
import { singleHeader } from '../client.js'
import type { AnswerObserver } from './answer-observer.js'
import { acceptOnlyJson } from './json-body.js'
import * as limits from './limits.js'
import { type LogDestination, logOptions } from './log.js'

/** What every request passes first: response headers, limits, JSON bodies. */
export async function prepareEdge(
  server: FastifyInstance,
  settings: Settings,
  observer: AnswerObserver,
): Promise<void> {
  const setHeaders = responseHeaders(settings)
  server.decorate('countRefusal', code => observer.refused(code))
  server.decorateRequest('caller', null)
  server.decorateRequest('session', null)
  server.setErrorHandler(answerProblem)
  await server.register(cookie, { hook: false })
  acceptOnlyJson(server)
  server.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    // Node no longer knows the address of a closed connection, unless it was asked for before.
    void request.raw.socket.remoteAddress
    done(refusalOf(request))
  })
}

/** Refusals that were decided before the request got here. */
const refusals = new WeakMap<IncomingMessage, ApiError>()

/** Has the edge answer this request with `refusal`, whatever it asks for. */
export function refuseRequest(request: IncomingMessage, refusal: ApiError): void {
  refusals.set(request, refusal)
}

/**
 * A path, or a whole URL as proxies send it (RFC 9112 §3.2). Otherwise the router would take `*api/login` for
 * a path.
 */
const TARGET = /^(\/|https?:\/\/)/i

function refusalOf(request: FastifyRequest): Error | undefined {
  const refusal = refusals.get(request.raw)
  if (refusal) return refusal
  if (!TARGET.test(request.raw.url ?? '')) return new ApiError('NOT_FOUND')
  if (request.raw.url && request.raw.url.length > limits.MAX_URL_LENGTH) return new ApiError('URL_TOO_LONG')
  if (singleHeader(request, 'host').kind === 'repeated') return new ApiError('INVALID_REQUEST')
  return undefined
}

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

/**
 * At a host that is not certainly ours: one of a satellite, whatever its state. The names below it are the
 * customer's, and may not have https.
 */
const HEADERS = { ...SECURITY_HEADERS, 'strict-transport-security': 'max-age=31536000' }
const HEADERS_OF_OURS = {
  ...SECURITY_HEADERS,
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
}

/** Responses may belong to one user. Public, stable routes set their own header. */
const NO_STORE = 'no-store'

function responseHeaders({ publicUrl, mainOrigin, operators }: Settings) {
  const addresses = [publicUrl, mainOrigin, ...(operators ? [operators.origin] : [])]
  const ours = new Set(addresses.map(address => new URL(address).host))
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const headers = ours.has(request.headers.host ?? '') ? HEADERS_OF_OURS : HEADERS
    reply.headers(headers).header('cache-control', NO_STORE).header('x-request-id', request.id)
  }
}

/** One line per request when it is answered: what, from where, status and milliseconds. */
export class RequestLog extends LogController {
  constructor(private readonly observer: AnswerObserver) {
    super()
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { elapsedTime } = reply
    this.observer.answered(request.method, request.raw.url ?? '', reply.statusCode, elapsedTime)
    const milliseconds = Math.round(elapsedTime * 10) / 10
    request.log.info({ req: request, res: reply, milliseconds, ...(error && { err: error }) }, 'request')
  }
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what Node's parser refused before there was a request, and closes the connection. */
export function answerFramingError(
  error: Error & { code?: string },
  socket: Socket,
  observer: AnswerObserver,
): void {
  // The rest of what has been refused: dropped, because closing now could take the answer from a client still sending.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = new ApiError(CODES[error.code ?? ''] ?? 'INVALID_REQUEST')
  observer.refused(refusal.code)
  const body = JSON.stringify(problemOf(refusal, randomUUID()))
  const headers = Object.entries({
    ...HEADERS,
    'cache-control': NO_STORE,
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${headers.join('')}\r\n${body}`)
  const end = setTimeout(() => socket.destroy(), limits.LINGER_MS)
  socket.once('close', () => clearTimeout(end))
}

/** How the server reads requests: strict paths, tight limits, forwarded headers only from our own proxies. */
export function serverOptions(settings: Settings, observer: AnswerObserver, logTo?: LogDestination) {
  const setHeaders = responseHeaders(settings)
  return {
    logger: logOptions(settings, logTo),
    logController: new RequestLog(observer),
    genReqId: () => randomUUID(),
    // No logger per request: a line about one has `req`, with its id.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    bodyLimit: limits.MAX_READ_BODY_BYTES,
    requestTimeout: limits.REQUEST_TIMEOUT_MS,
    connectionTimeout: limits.INACTIVITY_MS,
    keepAliveTimeout: limits.KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      // Any lower limit would answer before the guards, and so tell whoever may not know it that there is a route.
      maxParamLength: limits.MAX_URL_LENGTH,
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      setHeaders(request, reply)
      answerProblem(error, request, reply)
    },
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) =>
      answerFramingError(error, socket, observer),
    ...transport(settings),
  } satisfies FastifyServerOptions
}

function transport({ tls }: Settings) {
  const options = {
    maxHeaderSize: limits.MAX_HEADER_BYTES,
    headersTimeout: limits.HEADERS_TIMEOUT_MS,
    requestTimeout: limits.REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: limits.CONNECTIONS_CHECK_MS,
  }
  if (!tls) return { http: options }
  const handshakeTimeout = limits.HEADERS_TIMEOUT_MS
  return {
    https: { ...options, handshakeTimeout, cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) },
  }
}
