import { BlockList, isIP } from 'node:net'
import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common'
import { Matches } from 'class-validator'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../platform/audit/audit-event.js'
import { type OperatorSettings, Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { DocumentedGuard } from '../platform/http/endpoint.js'
import { Line, ParseText } from '../platform/http/fields.js'
import { type Client, clientOf, requestOf } from '../platform/http/request.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { countsAsWrite } from '../sessions/guards.js'
import { Public } from '../tokens/jwt.guard.js'
import { type OperatorSession, OperatorSessions, presentedOperatorSession } from './sessions.js'

/** Who can reach the console, and for whom it does not exist. */
@Injectable()
export class ConsoleAddress {
  /** Null when there is no console. */
  readonly origin: string | null
  private readonly host: string | null
  private readonly allowed: BlockList

  constructor({ operators }: Settings) {
    this.origin = operators?.origin ?? null
    this.host = operators && new URL(operators.origin).host
    this.allowed = blockListOf(operators)
  }

  isConsoleHost(host: string): boolean {
    return host === this.host
  }

  /** Whether the request is for the console's host, byte for byte as a browser sends it, from an allowed address. */
  reaches(request: FastifyRequest): boolean {
    if (this.host === null || request.headers.host !== this.host) return false
    const { ip } = clientOf(request)
    const family = isIP(ip)
    return family !== 0 && this.allowed.check(ip, family === 6 ? 'ipv6' : 'ipv4')
  }

  /**
   * Throws `NOT_FOUND` for a client that cannot reach it, and `ORIGIN_NOT_ALLOWED` for a request that another
   * page makes the browser send: a change needs the console's Origin, and a read must not come from another
   * site, where the browser says so.
   */
  require(request: FastifyRequest): void {
    if (!this.reaches(request)) throw new ApiError('NOT_FOUND')
    const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isOwn = origin === undefined ? isRead : origin === this.origin
    if (!isOwn || site !== 'same-origin') throw new ApiError('ORIGIN_NOT_ALLOWED')
  }
}

function blockListOf(operators: OperatorSettings | null): BlockList {
  const list = new BlockList()
  for (const text of operators?.addresses ?? []) {
    const [address = '', prefix] = text.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** Hides the console from clients that must not reach it. */
@Injectable()
@DocumentedGuard({ refusals: ['NOT_FOUND', 'ORIGIN_NOT_ALLOWED'] })
export class ConsoleGuard implements CanActivate {
  constructor(private readonly address: ConsoleAddress) {}

  canActivate(context: ExecutionContext): boolean {
    this.address.require(requestOf(context))
    return true
  }
}

const sessions = new WeakMap<FastifyRequest, OperatorSession>()

/**
 * Requires an operator's live login, looked up in the database for each request. Limits an operator's changes, and
 * how often people are shown to them (`TOO_MANY_ATTEMPTS`): both leave rows in the audit log.
 */
@Injectable()
@DocumentedGuard({
  refusals: [
    'NOT_FOUND',
    'ORIGIN_NOT_ALLOWED',
    'SESSION_NOT_FOUND',
    'TOO_MANY_ATTEMPTS',
    'DATABASE_UNAVAILABLE',
  ],
})
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly address: ConsoleAddress,
    private readonly operatorSessions: OperatorSessions,
    private readonly rateLimiter: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context)
    this.address.require(request)
    const sessionId = presentedOperatorSession(request)
    const session = sessionId && (await this.operatorSessions.find(sessionId))
    if (!session) throw new ApiError('SESSION_NOT_FOUND')
    sessions.set(request, session)
    if (countsAsWrite(context.getHandler(), request.method)) await this.count(request)
    return true
  }

  private async count(request: FastifyRequest): Promise<void> {
    const { client, operator } = operatorActorOf(request)
    const kind = request.method === 'GET' ? 'operator read' : 'operator change'
    await this.rateLimiter.count({ kind, subject: operator.id, client, actor: { operator } })
  }
}

/** For a handler open to every client that can reach the console, such as its login. */
export const ForConsole = () => applyDecorators(Public(), UseGuards(ConsoleGuard))

/** For a handler open only to operators: they have their own login instead of a user's access token. */
export const ForOperators = () => applyDecorators(Public(), UseGuards(OperatorGuard))

/** The login of a request that {@link OperatorGuard} has let through. */
export const CurrentOperator = createParamDecorator((_: unknown, context: ExecutionContext) =>
  sessions.get(requestOf(context)),
)

/** How the audit log refers to the operator of the request. */
export interface OperatorActor extends Actor {
  readonly client: Client
  readonly operator: { readonly id: string; readonly reason: null }
}

export const CurrentOperatorActor = createParamDecorator((_: unknown, context: ExecutionContext) =>
  operatorActorOf(requestOf(context)),
)

function operatorActorOf(request: FastifyRequest): OperatorActor {
  const { operatorId } = sessions.get(request) as OperatorSession
  return { client: clientOf(request), operator: { id: operatorId, reason: null } }
}

/**
 * The same operator, with the reason for a change, or none for a view. Without their network address, because
 * the account can read these rows; `operator.login` records it.
 */
export function withReason({ operator }: OperatorActor, reason: string | null): Actor {
  return { client: null, operator: { ...operator, reason } }
}

/** Long enough to mean something, short enough for a list. */
const MIN_LENGTH = 3
const MAX_LENGTH = 300
/** What can be seen: a zero-width space, say, cannot. */
const LEGIBLE = /[\p{L}\p{N}]/u

/** The body of every change: why it is made, in one line that the account can read. */
export class ReasonBody {
  @ParseText(text => text.trim().replace(/\s+/g, ' '))
  @Line({ min: MIN_LENGTH, max: MAX_LENGTH })
  @Matches(LEGIBLE)
  reason!: string
}
