import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type DynamicModule,
  type ExecutionContext,
  type FactoryProvider,
  HttpException,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  SetMetadata,
  UseGuards,
} from '@nestjs/common'
import { AccessTokenError } from './access-token-error.js'
import type { Caller, Permission, RequiredAuthentication } from './caller.js'
import { authorizationOf, callerOf, setCaller } from './requests.js'
import { AccessTokenVerifier, type Requirement, type VerifierOptions } from './verifier.js'

// What the decorators store on handlers and controllers. Strings, because the program may have another copy of this
// package.
const PERMISSIONS = '@mainstay-auth/verify:permissions'
const AUTHENTICATION = '@mainstay-auth/verify:authentication'
const PUBLIC = '@mainstay-auth/verify:public'

/** A handler, or the class of a controller. */
// biome-ignore lint/complexity/noBannedTypes: as Nest has it.
type Holder = Function

/**
 * A handler's own decorators take precedence over its controller's; on either of them, a requirement beats
 * `@Public()`.
 */
function isPublic(context: ExecutionContext): boolean {
  const [handler, controller] = [context.getHandler(), context.getClass()]
  if (requirementsOn(handler).length > 0) return false
  if (metadata(PUBLIC, handler)) return true
  return requirementsOn(controller).length === 0 && metadata(PUBLIC, controller) === true
}

/** Those of the handler and of its controller. */
function requirementsFor(context: ExecutionContext): (Permission | Requirement)[] {
  return [...requirementsOn(context.getClass()), ...requirementsOn(context.getHandler())]
}

function requirementsOn(holder: Holder): readonly (Permission | Requirement)[] {
  return [...permissionsOn(holder), ...authenticationsOn(holder)]
}

function authenticationsOn(holder: Holder): readonly RequiredAuthentication[] {
  return (metadata(AUTHENTICATION, holder) as RequiredAuthentication[] | undefined) ?? []
}

function permissionsOn(holder: Holder): readonly Permission[] {
  return (metadata(PERMISSIONS, holder) as Permission[] | undefined) ?? []
}

/** Nest's Reflector without the copy of Nest that it belongs to; reflect-metadata comes with every Nest. */
function metadata(key: string, holder: Holder): unknown {
  return (Reflect as typeof Reflect & MetadataReader).getMetadata(key, holder)
}

interface MetadataReader {
  getMetadata(key: string, target: object): unknown
}

// A string, because the program may have another copy of Nest than ours, with other classes.
const VERIFIER = '@mainstay-auth/verify:verifier'

/**
 * Lets through only requests with a valid token that meets the requirement:
 * `@UseGuards(new NestGuard(verifier, 'dataEntry'))`. Throws a TypeError for a requirement that does not exist.
 */
export class NestGuard implements CanActivate {
  constructor(
    private readonly verifier: AccessTokenVerifier,
    private readonly requirement?: Permission | Requirement,
  ) {
    if (requirement !== undefined) verifier.checkRequirement(requirement)
  }

  canActivate(context: ExecutionContext): Promise<boolean> {
    const { requirement } = this
    return admit(context, this.verifier, requirement === undefined ? [] : [requirement])
  }
}

/**
 * Lets through only requests with a valid token that has what {@link RequirePermission} and
 * {@link RequireAuthentication} ask for; handlers that are {@link Public} are open to all. For one controller
 * use `@UseGuards(MainstayGuard)`; for all of them provide
 * `{ provide: APP_GUARD, useExisting: MainstayGuard }`. It comes from the {@link MainstayGuardModule}.
 */
@Injectable()
export class MainstayGuard implements CanActivate {
  constructor(@Inject(VERIFIER) private readonly verifier: AccessTokenVerifier) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    return isPublic(context) || admit(context, this.verifier, requirementsFor(context))
  }
}

/** How to get the verifier's options, as with other Nest modules. */
export type MainstayGuardAsyncOptions = Pick<ModuleMetadata, 'imports'> &
  Pick<FactoryProvider<VerifierOptions>, 'inject' | 'useFactory'>

/** Makes {@link MainstayGuard} available everywhere. It guards nothing by itself. */
@Module({})
export class MainstayGuardModule {
  static forRoot(options: VerifierOptions): DynamicModule {
    return MainstayGuardModule.forRootAsync({ useFactory: () => options })
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: MainstayGuardAsyncOptions): DynamicModule {
    const verifier: FactoryProvider<AccessTokenVerifier> = {
      provide: VERIFIER,
      inject,
      useFactory: async (...injected) => new AccessTokenVerifier(await useFactory(...injected)),
    }
    const exported = [verifier, MainstayGuard]
    return { module: MainstayGuardModule, global: true, imports, providers: exported, exports: exported }
  }
}

/**
 * Lets through only tokens with all of these permissions, and applies the guard itself. Permissions on a
 * controller and on its handler are all required.
 */
export function RequirePermission(
  ...permissions: [Permission, ...Permission[]]
): ClassDecorator & MethodDecorator {
  const require = (target: object, _?: unknown, descriptor?: { value?: unknown }) => {
    const holder = (descriptor?.value ?? target) as Holder
    SetMetadata(PERMISSIONS, [...permissionsOn(holder), ...permissions])(holder)
  }
  return applyDecorators(require as ClassDecorator & MethodDecorator, UseGuards(MainstayGuard))
}

/**
 * Lets through only tokens whose user has authenticated strongly enough (`acr`) and recently enough
 * (`maxAgeSeconds`); others get the challenge of RFC 9470. Applies the guard itself. Several of these are all
 * required.
 */
export function RequireAuthentication(required: RequiredAuthentication): ClassDecorator & MethodDecorator {
  const require = (target: object, _?: unknown, descriptor?: { value?: unknown }) => {
    const holder = (descriptor?.value ?? target) as Holder
    SetMetadata(AUTHENTICATION, [...authenticationsOn(holder), required])(holder)
  }
  return applyDecorators(require as ClassDecorator & MethodDecorator, UseGuards(MainstayGuard))
}

/** Exempts a handler or a controller from a {@link MainstayGuard} that covers more than it. */
export function Public(): ClassDecorator & MethodDecorator {
  return SetMetadata(PUBLIC, true)
}

/**
 * Who is calling, or one field of it: `@CurrentCaller() caller: Caller`,
 * `@CurrentCaller('accountId') accountId: string`.
 */
export const CurrentCaller = createParamDecorator<keyof Caller | undefined>((field, context) => {
  const caller = callerOf(context.switchToHttp().getRequest<object>())
  return field ? caller[field] : caller
})

/** Fastify wraps Node's request and reply; Express's are Node's own. */
type OfEither<T> = T & { readonly raw?: T }

async function admit(
  context: ExecutionContext,
  verifier: AccessTokenVerifier,
  requirements: readonly (Permission | Requirement)[],
): Promise<boolean> {
  if (context.getType() !== 'http') throw new Error('The guards of @mainstay-auth/verify are for HTTP only')
  const http = context.switchToHttp()
  const request = http.getRequest<OfEither<IncomingMessage>>()
  try {
    const caller = await verifier.verifyHeader(authorizationOf(request.raw ?? request))
    for (const requirement of requirements) verifier.require(requirement, caller)
    setCaller(request, caller)
    return true
  } catch (error) {
    if (!(error instanceof AccessTokenError)) throw error
    const response = http.getResponse<OfEither<ServerResponse>>()
    for (const [name, value] of Object.entries(error.headers))
      (response.raw ?? response).setHeader(name, value)
    throw new Refusal(error)
  }
}

/**
 * The fields are for a program that has another copy of Nest than ours: its filter recognises foreign errors
 * by the fields of http-errors.
 */
class Refusal extends HttpException {
  readonly statusCode: number
  readonly expose = true

  constructor({ problem, statusCode, cause }: AccessTokenError) {
    super(problem, statusCode, { cause })
    this.message = problem.title
    this.statusCode = statusCode
  }
}
