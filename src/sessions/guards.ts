import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import { ApiError } from '../platform/errors/api-error.js'
import { DocumentedGuard, documentationOf, type SelectiveGuard } from '../platform/http/endpoint.js'
import { clientOf, requestOf } from '../platform/http/request.js'
import type { Permission } from '../platform/permissions.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock } from '../platform/time.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import { isPublic, JwtGuard, requireCaller } from '../tokens/jwt.guard.js'
import { EnrolmentRefusal } from './enrolment-refusal.js'
import { MainSourceGuard } from './main-source.guard.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'
import { Reauthentication } from './reauthentication.js'
import type { Session, SessionHandle } from './session.js'
import { SessionStore } from './session-store.js'
import { SessionTerms } from './sessions.js'

/**
 * Requires the session of the access token to be live, and its satellite to be open to it. A token outlives
 * its session by up to 15 minutes, so anything that makes a change, or shows more than the token says, asks
 * the store.
 */
@Injectable()
@DocumentedGuard({ refusals: ['SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE'] })
export class LiveSessionGuard implements CanActivate {
  constructor(
    private readonly store: SessionStore,
    private readonly terms: SessionTerms,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context)
    request.session = await this.store.find(request.caller?.sid as SessionHandle, this.clock.now())
    if (!request.session || !this.terms.mayContinue(request.session)) throw new ApiError('SESSION_NOT_FOUND')
    return true
  }
}

/**
 * Requires a live session and, for a main session, its cookie. For sensitive routes that satellites and apps
 * may call too: a main-site token stolen from a page is not enough.
 */
@Injectable()
@DocumentedGuard({ ...documentationOf(MainSourceGuard), isOfMainSiteOnly: true })
export class CookieBoundSessionGuard implements CanActivate {
  constructor(
    private readonly mainSource: MainSourceGuard,
    private readonly liveSession: LiveSessionGuard,
  ) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = requestOf(context)
    return (caller?.source === 'main' ? this.mainSource : this.liveSession).canActivate(context)
  }
}

/**
 * For public routes that a main session may call too. Without an access token the request passes without a
 * session. With one, it must be a live main session; otherwise it is refused as by {@link MainSourceGuard}.
 */
@Injectable()
@DocumentedGuard({
  refusals: [JwtGuard, MainSourceGuard].flatMap(guard => documentationOf(guard).refusals),
})
export class OptionalMainSessionGuard implements CanActivate {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly mainSource: MainSourceGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context)
    if (request.headers.authorization === undefined) return true
    request.caller = requireCaller(request, this.accessTokens)
    return this.mainSource.canActivate(context)
  }
}

/**
 * Refuses users who must set up a second factor first, on routes that need no permission but do more than
 * that. Runs after MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['SECOND_FACTOR_ENROLMENT_REQUIRED', 'DATABASE_UNAVAILABLE'] })
export class EnrolmentGuard implements CanActivate {
  constructor(private readonly refusal: EnrolmentRefusal) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = requestOf(context).session as Session
    // Those users have no permissions, so most sessions cost no query.
    if (Object.values(session.permissions).includes(true)) return true
    if (await this.refusal.mustEnrol(session)) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
    return true
  }
}

const REQUIRED_PERMISSION = 'mainstay:permission'

/** A permission that {@link PermissionGuard} requires. */
export const RequirePermission = (permission: Permission) => SetMetadata(REQUIRED_PERMISSION, permission)

/**
 * Requires the permissions of the handler and of its class, read from the store for this request. Runs after
 * MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({
  refusals: ['PERMISSION_REQUIRED', 'SECOND_FACTOR_ENROLMENT_REQUIRED', 'DATABASE_UNAVAILABLE'],
})
export class PermissionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly refusal: EnrolmentRefusal,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { session } = requestOf(context)
    const required = [context.getClass(), context.getHandler()]
      .map(target => this.reflector.get<Permission | undefined>(REQUIRED_PERMISSION, target))
      .filter(permission => permission !== undefined)
    const isAllowed = required.length > 0 && required.every(permission => session?.permissions[permission])
    return isAllowed || this.refusal.refuse(session, 'PERMISSION_REQUIRED')
  }
}

/**
 * Requires the user of this session to have re-authenticated recently, with a second factor if they have one.
 * Runs after MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED', 'DATABASE_UNAVAILABLE'] })
export class ReauthenticationGuard implements CanActivate {
  constructor(private readonly reauthentication: Reauthentication) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { session } = requestOf(context)
    await this.reauthentication.requireLookingUpFactor(session as Session)
    return true
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link WriteLimitGuard}, which a class and its method may both ask for. */
    isCountedAsWrite: boolean
  }
}

/** What a change is counted against; null where it must always be possible. */
type WriteBudget = 'write' | 'containment' | null
const WRITE_BUDGET = 'mainstay:write-budget'

/** Marks a GET that writes a row, or costs as much as a change. */
export const CountsAsWrite = (): MethodDecorator => SetMetadata(WRITE_BUDGET, 'write')

/**
 * Marks a change that must always be possible, such as ending sessions, or changing a password that somebody
 * else may know.
 */
export const ExemptFromWriteLimit = (): MethodDecorator => SetMetadata(WRITE_BUDGET, null)

/**
 * Marks a change by which a user contains damage, such as suspending a satellite, disabling a member or enrolling a
 * factor. Each session has an allowance of its own for these, which no other session can use up.
 */
export const ContainsDamage = (): MethodDecorator => SetMetadata(WRITE_BUDGET, 'containment')

/** Whether a request with this method to this handler is a change. */
export function countsAsWrite(handler: object, method: string): boolean {
  return budgetOf(handler, method) !== null
}

function budgetOf(handler: object, method: string): WriteBudget {
  const marked: WriteBudget | undefined = Reflect.getMetadata(WRITE_BUDGET, handler)
  if (marked !== undefined) return marked
  return method === 'GET' || method === 'HEAD' ? null : 'write'
}

/**
 * Limits changes per hour, because every change leaves rows in an audit log that nobody may delete. Runs after
 * the guard that has found the session: a token outlives its session, and that of an ended one must not use up
 * what its user has left. Throws `TOO_MANY_ATTEMPTS` (429). Requests that only read are not counted.
 */
@Injectable()
@DocumentedGuard({ refusals: ['TOO_MANY_ATTEMPTS'] })
export class WriteLimitGuard implements SelectiveGuard {
  constructor(private readonly rateLimiter: RateLimiter) {}

  appliesTo(handler: object, method: string): boolean {
    return !isPublic(handler) && countsAsWrite(handler, method)
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context)
    if (!this.appliesTo(context.getHandler(), request.method) || request.isCountedAsWrite) return true
    request.isCountedAsWrite = true
    const { sid, source, userId, accountId } = request.session as Session
    await this.rateLimiter.count({
      kind: budgetOf(context.getHandler(), request.method) ?? 'write',
      subject: sid,
      client: clientOf(request),
      actor: { userId, accountId, source },
    })
    return true
  }
}

export interface MainSiteOptions {
  /** The permission that the session must currently have. */
  readonly permission?: Permission
  /** The feature's own guard, for a right that is not a permission. */
  readonly guard?: Type<CanActivate>
  /** Whether to refuse users who must set up a second factor; a permission refuses them anyway. */
  readonly enrolled?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that only a live main-site session may call. After
 * JwtGuard, which is global, the guards run in the order of the checks in the specification. The API
 * reference reads from the guards what they require and refuse. On a method it adds to what its class
 * requires.
 */
export function MainSite({ permission, guard, enrolled, reauthenticated }: MainSiteOptions = {}) {
  return applyDecorators(
    UseGuards(
      MainSourceGuard,
      WriteLimitGuard,
      ...(permission ? [permission === 'payments' ? PaymentsPermissionGuard : PermissionGuard] : []),
      ...(enrolled ? [EnrolmentGuard] : []),
      ...(guard ? [guard] : []),
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
    ...(permission ? [RequirePermission(permission)] : []),
  )
}

export interface LiveSessionOptions {
  /** Whether a main-site session must present its cookie too. */
  readonly cookieBound?: boolean
  /** Whether to refuse users who must set up a second factor. */
  readonly enrolled?: boolean
  /** Whether the user must have re-authenticated recently. */
  readonly reauthenticated?: boolean
}

/**
 * For a handler, or all handlers of a controller, that live sessions of any site may call. Otherwise like
 * {@link MainSite}.
 */
export function LiveSession({ cookieBound, enrolled, reauthenticated }: LiveSessionOptions = {}) {
  return applyDecorators(
    UseGuards(
      cookieBound ? CookieBoundSessionGuard : LiveSessionGuard,
      WriteLimitGuard,
      ...(enrolled ? [EnrolmentGuard] : []),
      ...(reauthenticated ? [ReauthenticationGuard] : []),
    ),
  )
}
