import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Settings } from '../../config/settings.js'
import { answerProblem } from '../../errors/problem.filter.js'
import { answerFramingError, RequestLog, setResponseHeaders } from './edge.js'
import * as limits from './limits.js'
import { type LogDestination, logOptions } from './log.js'

/** How the server reads requests: strict paths, tight limits, forwarded headers from our own proxies only. */
export function serverOptions(settings: Settings, logTo?: LogDestination) {
  return {
    logger: logOptions(settings, logTo),
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
    // No logger per request: a line about one has `req`, with its id.
    childLoggerFactory: (logger: FastifyBaseLogger) => logger,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    bodyLimit: limits.MAX_READ_BODY_BYTES,
    requestTimeout: limits.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: limits.KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      setResponseHeaders(request, reply)
      answerProblem(error, request, reply)
    },
    clientErrorHandler: answerFramingError,
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
  return { https: { ...options, cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) } }
}
