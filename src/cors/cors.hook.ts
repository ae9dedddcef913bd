import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.js'
import { type CorsPolicy, corsPolicyFor, type KnownOrigins } from './cors-policy.js'

/** From the specification's preflight table. */
const PREFLIGHT: FastifyCorsOptions = {
  methods: 'GET, POST, PUT, DELETE, PATCH',
  maxAge: 86_400,
  strictPreflight: false,
}

/**
 * Headers that our clients read; pages see no other headers of ours across origins (Fetch, CORS-safelisted
 * response-header name).
 */
const EXPOSED = 'Retry-After, X-Request-Id'

/**
 * Checks the origin of every request, even on unknown paths, before anything else. A refused origin gets 403,
 * `onRefused` is called, and the handler never runs.
 */
export async function applyCors(
  server: FastifyInstance,
  known: KnownOrigins,
  onRefused: (request: FastifyRequest) => void,
): Promise<void> {
  server.addHook('onRequest', (request, reply, done) => {
    const policy = corsPolicyFor(request.headers.origin, known)
    if (policy.kind === 'refused') {
      onRefused(request)
      return done(new ApiError('ORIGIN_NOT_ALLOWED'))
    }
    allowOrigin(reply, policy)
    done()
  })
  await server.register(scope => answerPreflights(scope, known))
}

/** The headers of an ordinary answer; none without an origin. */
function allowOrigin(reply: FastifyReply, policy: CorsPolicy): void {
  if (policy.kind === 'main' || policy.kind === 'satellite')
    reply
      .header('Access-Control-Allow-Origin', policy.origin)
      .header('Access-Control-Expose-Headers', EXPOSED)
  if (policy.kind === 'main') reply.header('Access-Control-Allow-Credentials', 'true')
}

/**
 * In its own scope: the package recomputes its options for each request, so it should only see preflights.
 */
async function answerPreflights(scope: FastifyInstance, known: KnownOrigins): Promise<void> {
  await scope.register(cors, {
    delegator: (request, callback) =>
      callback(null, preflightFor(corsPolicyFor(request.headers.origin, known))),
  })
}

function preflightFor(policy: CorsPolicy): FastifyCorsOptions {
  switch (policy.kind) {
    case 'main':
      return {
        ...PREFLIGHT,
        origin: policy.origin,
        credentials: true,
        allowedHeaders: 'Content-Type, Authorization',
      }
    case 'satellite':
      return {
        ...PREFLIGHT,
        origin: policy.origin,
        allowedHeaders: 'Content-Type, Authorization, X-Session-ID',
      }
    default:
      return { origin: false }
  }
}
