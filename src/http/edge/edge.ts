// What was decided here, and why: docs/decisions/http.md
import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors/api-error.js'
import { answerProblem } from '../../errors/problem.filter.js'
import { acceptOnlyJson } from './json-body.js'
import { MAX_URL_LENGTH } from './limits.js'
import { setResponseHeaders } from './response-headers.js'
import { singleHeader } from './single-header.js'

/** What every request passes first: response headers, limits, JSON bodies. */
export async function prepareEdge(server: FastifyInstance): Promise<void> {
  server.decorateRequest('caller', null)
  server.decorateRequest('session', null)
  server.setErrorHandler(answerProblem)
  await server.register(cookie, { hook: false })
  acceptOnlyJson(server)
  server.addHook('onRequest', (request, reply, done) => {
    setResponseHeaders(request, reply)
    done(refusalOf(request))
  })
}

/** A path, or a whole URL as proxies send it (RFC 9112 §3.2). The router would read `*api/login` as a path too. */
const TARGET = /^(\/|https?:\/\/)/i

function refusalOf(request: FastifyRequest): Error | undefined {
  if (!TARGET.test(request.raw.url ?? '')) return new ApiError('NOT_FOUND')
  if (request.raw.url && request.raw.url.length > MAX_URL_LENGTH) return new ApiError('URL_TOO_LONG')
  if (singleHeader(request, 'host').kind === 'repeated') return new ApiError('INVALID_REQUEST')
  return undefined
}
