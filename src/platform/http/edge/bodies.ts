import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, unavailable } from '../../errors/api-error.js'
import { subnetOf } from '../request.js'
import {
  MAX_BODY_BYTES,
  MAX_JSON_DEPTH,
  MAX_READ_BODY_BYTES,
  MAX_WEBHOOK_BODY_BYTES,
  Tally,
} from './limits.js'

declare module 'fastify' {
  interface FastifyInstance {
    readonly largeBodies: LargeBodies
  }
  interface FastifyRequest {
    /** The body as received, on routes that ask for it (signatures cover the bytes, not the JSON). */
    rawBody?: Buffer
  }
}

/**
 * For a route that receives signed events, `@RouteConfig(SIGNED_BODY)`: keeps the bytes and allows the larger
 * size. The bytes are not parsed, because any client could make that expensive before the signature is checked.
 */
export const SIGNED_BODY = { signedBody: true }

/** The name with its hyphen and without (Encoding Standard, §4.2). */
const CHARSET_UTF8 = /^charset\s*=\s*("?)utf-?8\1$/
/** `fatal`: bytes that are not UTF-8 are refused, so that two passwords cannot become the same text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Accepts JSON in UTF-8 only: any other content type is 415, malformed JSON 400. An empty body is
 * `undefined`, whatever its content type.
 */
export function acceptOnlyJson(server: FastifyInstance): void {
  server.decorate('largeBodies', new LargeBodies())
  server.addHook('onRequest', (request, _, done) => {
    forgetTypeOfNothing(request)
    done()
  })
  server.addHook('onRoute', route => {
    if (!isSigned(route.config)) return
    route.bodyLimit = MAX_WEBHOOK_BODY_BYTES
    route.preParsing = async (request, reply, body) => {
      server.largeBodies.hold(request, reply)
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

/**
 * Go's `http.Post(url, "", nil)` sends an empty Content-Type. Fastify would refuse that, and every other type that
 * it cannot read, before a parser sees that the body is empty.
 */
function forgetTypeOfNothing({ headers }: FastifyRequest): void {
  if (!hasBody(headers) || headers['content-type'] === '') delete headers['content-type']
}

/** Whether the headers announce a body that is not empty. */
export function hasBody({
  'content-length': length = '0',
  'transfer-encoding': transferEncoding,
}: IncomingHttpHeaders): boolean {
  return transferEncoding !== undefined || Number(length) > 0
}

function requireIdentityJson({ headers }: FastifyRequest): void {
  const isAccepted =
    isUtf8Json(headers['content-type'] ?? '') && isIdentity(headers['content-encoding'] ?? '')
  if (!isAccepted) throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
}

/** Parameters may be empty (RFC 9110 §5.6.6). */
function isUtf8Json(contentType: string): boolean {
  const [type, ...parameters] = elementsOf(contentType, ';')
  return (
    type === 'application/json' &&
    parameters.every(parameter => parameter === '' || CHARSET_UTF8.test(parameter))
  )
}

function isIdentity(contentEncoding: string): boolean {
  return elementsOf(contentEncoding, ',').every(coding => coding === '' || coding === 'identity')
}

function elementsOf(header: string, separator: string): string[] {
  return header.split(separator).map(element => element.trim().toLowerCase())
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

/** Each may take 1 MiB. */
const MAX_AT_ONCE = 64
/** The other half is for subnets that have sent a right signature. */
const MAX_OF_STRANGERS = MAX_AT_ONCE / 2
/** Stripe sends from several subnets, and resends what was refused. */
const MAX_FROM_ONE_SUBNET = 8
/** How long a subnet counts as a signer's, and how many do: more than Stripe sends from. */
const SIGNER_MS = 24 * 60 * 60 * 1000
const MAX_SIGNERS = 100

/**
 * Bodies of signed events that are larger than any other body. They are in memory before their signature can be
 * checked, so attackers could fill it.
 */
export class LargeBodies {
  private readonly held = new Tally()
  /** Subnets, and when each signed last by `performance.now()`; longest ago first. */
  private readonly signers = new Map<string, number>()

  /** Counts the request until it has been answered. Throws `TOO_BUSY` (503) when there are too many. */
  hold(request: FastifyRequest, reply: FastifyReply): void {
    // A body without a length may turn out to be large.
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (length <= MAX_READ_BODY_BYTES) return
    // The response has already closed, so nothing would free this slot.
    if (reply.raw.destroyed) return
    const subnet = subnetOf(request.ip)
    const most = {
      all: MAX_AT_ONCE,
      ...(!this.isSigner(subnet) && { strangers: MAX_OF_STRANGERS }),
      [subnet]: MAX_FROM_ONE_SUBNET,
    }
    if (Object.entries(most).some(([key, max]) => this.held.of(key) >= max)) throw unavailable('TOO_BUSY')
    for (const key of Object.keys(most)) this.held.add(key)
    reply.raw.once('close', () => {
      for (const key of Object.keys(most)) this.held.remove(key)
    })
  }

  /** The signature of this request is right, so its subnet shares no longer with strangers, for a day. */
  rememberSigner({ ip }: FastifyRequest): void {
    const subnet = subnetOf(ip)
    this.signers.delete(subnet)
    this.signers.set(subnet, performance.now())
    const [oldest] = this.signers.keys()
    if (oldest !== undefined && this.signers.size > MAX_SIGNERS) this.signers.delete(oldest)
  }

  private isSigner(subnet: string): boolean {
    const signedAt = this.signers.get(subnet)
    return signedAt !== undefined && performance.now() - signedAt < SIGNER_MS
  }
}
