// What was decided here, and why: docs/decisions/satellites-are-read-from-memory.md

import cors, { type FastifyCorsOptions } from '@fastify/cors'
import { Module, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { AuditLog, AuditLogModule } from '../platform/audit/audit-log.js'
import { asOrigin, LOCAL_PORTS } from '../platform/config/origin.js'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { refusalOfTarget } from '../platform/http/edge/edge.js'
import { clientOf } from '../platform/http/request.js'
import { Logger, printable } from '../platform/log.js'
import { originFault } from './satellite-origin.js'
import { Satellites } from './satellites.js'

/** What a page of this origin may do here. */
type CorsPolicy =
  /** No Origin header: not a cross-origin request of a browser. */
  | { readonly kind: 'none' }
  | { readonly kind: 'main'; readonly origin: string }
  | { readonly kind: 'satellite'; readonly origin: string }
  /** The operator console's, at its own host: browsers require no permission for its pages. */
  | { readonly kind: 'console' }
  | { readonly kind: 'refused' }

export interface KnownOrigins {
  readonly mainOrigin: string
  /** Null or left out where there is no operator console. */
  readonly operatorOrigin?: string | null
  /** Of active satellites. */
  readonly satellites: { has(origin: string): boolean }
}

const LOG_AGAIN_MS = 60_000

const NONE: CorsPolicy = { kind: 'none' }
const REFUSED: CorsPolicy = { kind: 'refused' }

/**
 * Compares exact bytes, without parsing, so `null`, another port, case or a trailing dot simply do not match.
 * Only the first label of a preview's host is compared with a pattern.
 */
export function corsPolicyFor(origin: string | undefined, known: KnownOrigins): CorsPolicy {
  if (origin === undefined) return NONE
  if (origin === known.mainOrigin) return { kind: 'main', origin }
  if (origin === known.operatorOrigin) return { kind: 'console' }
  if (known.satellites.has(origin)) return { kind: 'satellite', origin }
  return REFUSED
}

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

@Module({
  imports: [AuditLogModule],
  providers: [Satellites],
  exports: [Satellites],
})
export class CorsModule implements OnModuleInit {
  private readonly logger = new Logger('CORS')
  private readonly known: KnownOrigins
  /** Origins whose refusal has just been logged: a page keeps trying. */
  private readonly logged = new LRUCache<string, true>({ max: 100, ttl: LOG_AGAIN_MS })

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly auditLog: AuditLog,
    private readonly settings: Settings,
    satellites: Satellites,
  ) {
    const { mainOrigin, operators } = settings
    this.known = { mainOrigin, operatorOrigin: operators?.origin ?? null, satellites }
  }

  /**
   * Checks the origin of every request, even on unknown paths, before anything else. A refused origin gets
   * 403 and a row in the audit log, in development a line that says what to do, and the handler never runs. Then come
   * refusals of the target, which pages may read.
   */
  async onModuleInit(): Promise<void> {
    // The command line has no server.
    const server: FastifyInstance | undefined = this.host.httpAdapter?.getInstance()
    if (!server) return
    server.addHook('onRequest', (request, reply, done) => {
      const policy = corsPolicyFor(request.headers.origin, this.known)
      if (policy.kind === 'refused' || (policy.kind === 'console' && !isAtConsole(request))) {
        this.noteRefusal(request)
        return done(new ApiError('ORIGIN_NOT_ALLOWED'))
      }
      allowOrigin(reply, policy)
      // Every preflight is answered; otherwise pages could not read the refusal of the request that follows.
      done(isPreflight(request, policy) ? undefined : refusalOfTarget(request))
    })
    await server.register(scope => answerPreflights(scope, this.known))
  }

  private noteRefusal(request: FastifyRequest): void {
    const detail = { method: request.method }
    this.auditLog.enqueue({ action: 'origin', outcome: 'refused', client: clientOf(request), detail })
    const { origin = '' } = request.headers
    if (this.settings.environment !== 'development' || this.logged.has(origin)) return
    this.logged.set(origin, true)
    this.logger.warn(`${printable(origin.slice(0, 200))} is not allowed: ${waysIn(origin, this.settings)}`)
  }
}

/** How pages of an origin that was refused come to be allowed, for the developer who wants that. */
export function waysIn(
  origin: string,
  { satelliteOrigins, isRegistryOnly }: Pick<Settings, 'satelliteOrigins' | 'isRegistryOnly'>,
): string {
  if (origin === 'null')
    return 'a page from a file or in a sandboxed frame has no origin; serve it at localhost'
  if (!asOrigin(origin, true)) return 'pages on other machines need https'
  const listed = [...satelliteOrigins, origin].join(',')
  const ways = [
    ...(isRegistryOnly ? [] : [`restart with ALLOWED_ORIGINS=${listed}`]),
    ...(originFault(origin, { ownHosts: [], isLenient: true })
      ? []
      : ['add it in the account, under Satellites, without a restart']),
    `restart with MAIN_ORIGIN=${origin} if it is the main site`,
  ]
  const ports = `port ${LOCAL_PORTS.join(', ')} at localhost or 127.0.0.1 needs none of that`
  return `${ways.join('; or ')}${isRegistryOnly ? '' : ` (${ports})`}`
}

/** Its pages may ask its own API, at its own host, and nothing else. */
function isAtConsole({
  headers: { origin, host },
  routeOptions: { url: route = '' },
}: FastifyRequest): boolean {
  // The route, not the path, which can be spelled in other ways.
  const isAllowed = route.startsWith('/api/operator/') || !route.startsWith('/api/')
  return host === new URL(origin as string).host && isAllowed
}

/** The headers of an ordinary answer; none without an origin. */
function allowOrigin(reply: FastifyReply, policy: CorsPolicy): void {
  if (policy.kind === 'main' || policy.kind === 'satellite')
    reply
      .header('access-control-allow-origin', policy.origin)
      .header('access-control-expose-headers', EXPOSED)
  if (policy.kind === 'main') reply.header('access-control-allow-credentials', 'true')
}

function isPreflight({ method }: FastifyRequest, { kind }: CorsPolicy): boolean {
  return method === 'OPTIONS' && (kind === 'main' || kind === 'satellite')
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
