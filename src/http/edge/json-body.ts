import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors/api-error.js'
import { LargeBodies } from './large-bodies.js'
import { MAX_BODY_BYTES, MAX_JSON_DEPTH, MAX_WEBHOOK_BODY_BYTES } from './limits.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as received, on routes that ask for it (signatures cover the bytes, not the JSON). */
    rawBody?: Buffer
  }
}

/**
 * For a route that receives signed events, `@RouteConfig(SIGNED_BODY)`: keeps the bytes and allows the larger
 * size. The bytes are not parsed, because anybody could make that expensive before the signature is checked.
 */
export const SIGNED_BODY = { signedBody: true }

const JSON_UTF8 = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
/** `fatal`: bytes that are not UTF-8 are refused, so that two passwords cannot become the same text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Accepts JSON in UTF-8 only: any other content type is 415, malformed JSON 400. An empty body is
 * `undefined`, whatever its content type.
 */
export function acceptOnlyJson(server: FastifyInstance): void {
  const largeBodies = new LargeBodies()
  server.addHook('onRoute', route => {
    if (!isSigned(route.config)) return
    route.bodyLimit = MAX_WEBHOOK_BODY_BYTES
    route.preParsing = async (request, reply, body) => {
      largeBodies.hold(request, reply)
      return body
    }
  })
  server.removeAllContentTypeParsers()
  const parseJson = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      requireIdentityJson(request)
      if (isSigned(request.routeOptions.config)) {
        request.rawBody = body as Buffer
        return done(null, undefined)
      }
      const text = decode(body as Buffer)
      if (text === '') done(null, undefined)
      else
        void parseJson(request, text, (error, value) =>
          done(error ?? refusalOf(body as Buffer, value), value),
        )
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => {
    if (body.length === 0) done(null, undefined)
    else done(new ApiError('UNSUPPORTED_MEDIA_TYPE'))
  })
}

function isSigned(config: unknown): boolean {
  return (config as { signedBody?: boolean } | undefined)?.signedBody === true
}

function requireIdentityJson(request: FastifyRequest): void {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!JSON_UTF8.test(type) || encoding !== 'identity') throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
}

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body)
  } catch (cause) {
    throw new ApiError('INVALID_REQUEST', { detail: 'The body is not valid UTF-8', cause })
  }
}

function refusalOf(body: Buffer, value: unknown): ApiError | null {
  if (body.length > MAX_BODY_BYTES) return new ApiError('BODY_TOO_LARGE')
  if (!isDeeperThan(MAX_JSON_DEPTH, value)) return null
  return new ApiError('INVALID_REQUEST', { detail: 'The body is nested too deeply' })
}

/**
 * Whether arrays and objects are nested more than `levels` deep. Works level by level, because recursion (as
 * in class-transformer) overflows the stack at a few thousand levels.
 */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap(part => (typeof part === 'object' && part !== null ? Object.values(part) : []))
    if (level.length === 0) return false
  }
  return true
}
