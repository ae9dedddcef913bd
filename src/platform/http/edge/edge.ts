// What was decided here, and why: docs/decisions/one-client-cannot-take-the-whole-service.md
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import cookie from '@fastify/cookie'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
} from 'fastify'
import type { Settings } from '../../config/settings.js'
import { ApiError, type ErrorCode } from '../../errors/api-error.js'
import { answerProblem, asApiError, PROBLEM_CONTENT_TYPE, problemOf } from '../../errors/problem.filter.js'
import { addressWithoutPort, singleHeader } from '../request.js'
import { acceptOnlyJson, hasBody } from './bodies.js'
import * as limits from './limits.js'
import { type LogDestination, logOptions } from './log.js'
import { HEADERS_OF_ANY_HOST, RequestLog, type ResponseObserver, responseHeaders } from './responses.js'
import { readTlsFiles } from './tls-files.js'

/**
 * What every request goes through first: response headers, limits, JSON bodies. `observer` is called for every
 * response.
 */
export class Edge {
  constructor(
    private readonly settings: Settings,
    private readonly observer: ResponseObserver,
  ) {}

  /** How the server reads requests: strict paths, tight limits, forwarded headers only from our own proxies. */
  serverOptions(logTo?: LogDestination) {
    const { trustProxy } = this.settings
    return {
      logger: logOptions(this.settings, logTo),
      logController: new RequestLog(this.observer),
      genReqId: () => randomUUID(),
      // No logger per request: a line about one has `req`, with its id.
      childLoggerFactory: (logger: FastifyBaseLogger) => logger,
      trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
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
        // Any lower limit would answer before the guards, and so reveal that a route exists.
        maxParamLength: limits.MAX_URL_LENGTH,
      },
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        refuseInRoute(asApiError(error), request, reply),
      clientErrorHandler: (error: Error & { code?: string }, socket: Socket) =>
        answerParserError(error, socket, this.observer),
      ...transport(this.settings),
    } satisfies FastifyServerOptions
  }

  /** Call it before the first route. */
  async prepare(server: FastifyInstance): Promise<void> {
    server.decorate('countRefusal', code => this.observer.refused(code))
    server.decorateRequest('caller', null)
    server.decorateRequest('session', null)
    server.decorateRequest('isCountedAsWrite', false)
    server.setErrorHandler(answerProblem)
    await server.register(cookie, { hook: false })
    acceptOnlyJson(server)
    const setHeaders = responseHeaders(this.settings)
    server.addHook('onRequest', (request, reply, done) => {
      setHeaders(request, reply)
      // Node no longer knows the address of a closed connection, unless it was asked for before.
      void request.raw.socket.remoteAddress
      removePorts(request.raw)
      readTarget(request.raw)
      done(refusalOf(request))
    })
    server.addHook('onResponse', ({ raw }, _reply, done) => {
      limits.requestDone(raw)
      done()
    })
    server.addHook('onSend', ({ raw }, reply, _payload, done) => {
      if (reply.statusCode >= 400 && isStillSending(raw)) void restOf(raw).then(() => done())
      else done()
    })
  }
}

/**
 * Takes the ports off the addresses in X-Forwarded-For, before anything reads them: Fastify would neither recognise
 * `10.0.0.4:41000` as one of our proxies, nor report a client's address without its port.
 */
function removePorts({ headers }: IncomingMessage): void {
  const forwardedFor = headers['x-forwarded-for']
  if (typeof forwardedFor !== 'string' || !forwardedFor.includes(':')) return
  headers['x-forwarded-for'] = forwardedFor
    .split(',')
    .map(address => addressWithoutPort(address.trim()))
    .join(', ')
}

/** Whether a body is on its way, from a client that is still listened to. */
function isStillSending({ complete, headers, socket }: IncomingMessage): boolean {
  return hasBody(headers) && !complete && !socket.isPaused()
}

/**
 * Drops the rest of a refused body, for `LINGER_MS` at most. A connection that is closed while its client is still
 * sending is reset, and the client may never read why it was refused.
 */
async function restOf(request: IncomingMessage): Promise<void> {
  const signal = AbortSignal.timeout(limits.LINGER_MS)
  await finished(request.resume(), { signal }).catch(() => undefined)
}

/** Refusals that were decided before the request got here. */
const refusals = new WeakMap<IncomingMessage, ApiError>()
/** Refusals of a target, most by the router: of a path that cannot be decoded, for example. */
const targetRefusals = new WeakMap<IncomingMessage, ApiError>()

/** Has the edge answer this request with `refusal`, whatever it asks for and wherever it comes from. */
export function refuseRequest(request: IncomingMessage, refusal: ApiError): void {
  refusals.set(request, refusal)
}

/** A path that matches no route and that the router can decode. */
const UNROUTABLE_PATH = '/%00'

/**
 * What the router itself refuses gets no route, and Fastify then runs no hook and logs nothing. So it is routed again,
 * to be refused like any other request.
 */
function refuseInRoute(refusal: ApiError, { raw, server }: FastifyRequest, reply: FastifyReply): void {
  const { url } = raw
  targetRefusals.set(raw, refusal)
  raw.url = UNROUTABLE_PATH
  server.routing(raw, reply.raw)
  raw.url = url
}

/** A whole URL, as proxies send it; it may have no path (RFC 9112 §3.2.2). */
const ABSOLUTE_TARGET = /^https?:\/\/[^/?]+(.*)$/i

/**
 * Leaves the path and the query of a whole URL. What is neither that nor a path, such as `*api/login`, which the router
 * takes for a path, becomes one too, to be refused: the adapter would answer it before the origin is known.
 */
function readTarget(request: IncomingMessage): void {
  const { url = '' } = request
  if (url.startsWith('/')) return
  const path = ABSOLUTE_TARGET.exec(url)?.[1]
  if (path === undefined) targetRefusals.set(request, new ApiError('NOT_FOUND'))
  request.url = path?.startsWith('/') ? path : `/${path ?? url}`
}

/** Why a request is refused before its origin is known; undefined when it is not. */
function refusalOf(request: FastifyRequest): ApiError | undefined {
  const refusal = limits.refusalOfPipelined(request.raw) ?? refusals.get(request.raw)
  if (refusal) return refusal
  // No browser sends two, and it would not be clear for which of them the answer is.
  return singleHeader(request, 'host').kind === 'repeated' ? new ApiError('INVALID_REQUEST') : undefined
}

/**
 * Why a request is refused for its target; undefined when it is not. Applied in `cors/`, once the origin is known, so
 * that pages can read the refusal.
 */
export function refusalOfTarget({ raw }: FastifyRequest): ApiError | undefined {
  if (raw.url && raw.url.length > limits.MAX_URL_LENGTH) return new ApiError('URL_TOO_LONG')
  return targetRefusals.get(raw)
}

/** Of the errors of Node's parser; every other is `INVALID_REQUEST`. */
const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what Node's parser refused before there was a request, and closes the connection. */
function answerParserError(
  error: Error & { code?: string },
  socket: Socket,
  observer: ResponseObserver,
): void {
  // Further bytes of a refused request are dropped: closing now could lose the response while the client is still
  // sending.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = new ApiError(PARSER_CODES[error.code ?? ''] ?? 'INVALID_REQUEST')
  observer.refused(refusal.code)
  const body = JSON.stringify(problemOf(refusal, randomUUID()))
  const headers = Object.entries({
    ...HEADERS_OF_ANY_HOST,
    'content-type': PROBLEM_CONTENT_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${headers.join('')}\r\n${body}`)
  const end = setTimeout(() => socket.destroy(), limits.LINGER_MS)
  socket.once('close', () => clearTimeout(end))
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
  return { https: { ...options, handshakeTimeout, ...readTlsFiles(tls) } }
}
