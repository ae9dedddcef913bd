import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.js'
import { type CorsPolicy, corsPolicyFor, type KnownOrigins } from './cors-policy.js'

/** From the specification's preflight table. */
const COMMON: FastifyCorsOptions = {
  methods: 'GET, POST, PUT, DELETE, PATCH',
  maxAge: 86_400,
  strictPreflight: false,
}
const NO_CORS_HEADERS: FastifyCorsOptions = { origin: false }

/**
 * Decides about the origin of every request, also on unknown paths, before anything else happens to it.
 * A refused origin is answered 403 and `onRefused` hears of it; the handler never runs.
 */
export async function applyCors(
  server: FastifyInstance,
  known: KnownOrigins,
  onRefused: (request: FastifyRequest) => void,
): Promise<void> {
  await server.register(cors, {
    delegator: (request, callback) => {
      const policy = corsPolicyFor(request.headers.origin, known)
      if (policy.kind !== 'refused') return callback(null, optionsFor(policy))
      onRefused(request as FastifyRequest)
      callback(new ApiError('ORIGIN_NOT_ALLOWED'), undefined)
    },
  })
}

function optionsFor(policy: Exclude<CorsPolicy, { kind: 'refused' }>): FastifyCorsOptions {
  switch (policy.kind) {
    case 'none':
      return NO_CORS_HEADERS
    case 'main':
      return {
        ...COMMON,
        origin: policy.origin,
        credentials: true,
        allowedHeaders: 'Content-Type, Authorization',
      }
    case 'satellite':
      return { ...COMMON, origin: policy.origin, allowedHeaders: 'Content-Type, Authorization, X-Session-ID' }
  }
}
