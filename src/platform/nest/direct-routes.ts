// What was decided here, and why: docs/decisions/routes-skip-nests-request-pipeline.md
import {
  type ArgumentMetadata,
  type CanActivate,
  ForbiddenException,
  type PipeTransform,
  RequestMethod,
  type Type,
} from '@nestjs/common'
import { REDIRECT_METADATA, RENDER_METADATA, RouteParamtypes, SSE_METADATA } from '@nestjs/common/internal'
import type { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import type { ParamProperties, RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isApplied } from '../http/endpoint.js'

type Handler = (...args: unknown[]) => unknown
/** Returns a promise only if there is something to wait for. */
type Route = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Metadata of handlers that respond in their own way. */
const UNSUPPORTED_METADATA = [SSE_METADATA, RENDER_METADATA, REDIRECT_METADATA]

/** Client input; route-wide pipes see nothing else. */
const CLIENT_INPUT = new Map<unknown, 'body' | 'query' | 'param'>([
  [RouteParamtypes.BODY, 'body'],
  [RouteParamtypes.QUERY, 'query'],
  [RouteParamtypes.PARAM, 'param'],
])

/**
 * Builds the functions that Fastify calls for the routes of controllers, from the same decorators and in the
 * same order as Nest's own factories: guards (but those that {@link isApplied} excludes), pipes, handler,
 * answer. It awaits only what is a promise, where Nest awaits some ten times even in a request that needs none;
 * without any, a route answers before Fastify's call returns. Interceptors, redirects, templates and event
 * streams are not supported: a controller that uses them fails at start.
 */
export class DirectRoutes {
  private readonly parts: PartsOfNest

  constructor(private readonly nest: RouterExecutionContext) {
    this.parts = nest as unknown as PartsOfNest
  }

  create(instance: object, handler: Handler, name: string, module: string, method: RequestMethod): Route {
    const route = this.nest.getMetadata(instance, handler, name, module, method, 'http')
    const interceptors = this.parts.interceptorsContextCreator.create(instance, handler, module)
    const type = instance.constructor as Type
    if (interceptors.length > 0 || UNSUPPORTED_METADATA.some(key => Reflect.hasMetadata(key, handler)))
      throw new Error(`${type.name}.${name} needs what src/platform/nest/direct-routes.ts leaves out`)
    const guards = this.parts.guardsContextCreator
      .create(instance, handler, module)
      .filter(guard => isApplied(guard, handler, RequestMethod[method]))
    const pipes = this.parts.pipesContextCreator.create(instance, handler, module)
    const found = route.getParamsMetadata(module) as ParamProperties[]
    const parameters = found.map(each => parameterOf(each, pipes, route.paramtypes))
    const sendsReplyItself = this.sendsReplyItself(instance, name, found)
    const isPiped = parameters.some(({ pipes }) => pipes.length > 0)
    return (request, reply) => {
      const call = (values: unknown[]) => handler.apply(instance, values)
      const answer = () => {
        reply.code(route.httpStatusCode)
        for (const { name, value } of route.responseHeaders) reply.header(name, value)
        const answered = isPiped
          ? pipedValues(parameters, request, reply).then(call)
          : call(valuesOf(parameters, request, reply))
        return sendsReplyItself ? after(answered, () => reply) : answered
      }
      return after(pass(guards, new ExecutionContextHost([request, reply], type, handler)), answer)
    }
  }

  /** Whether the handler sends the answer itself: it has `@Res()` without `passthrough`. */
  private sendsReplyItself(instance: object, name: string, parameters: readonly ParamProperties[]): boolean {
    const hasReply = parameters.some(({ type }) => type === RouteParamtypes.RESPONSE)
    return hasReply && !this.parts.contextUtils.reflectPassthrough(instance, name)
  }
}

/**
 * Nest's version discards what a route returns. Fastify needs it: it sends a value, and waits if it gets the
 * reply.
 */
export const routesWithFilters = {
  createProxy(route: Route, filters: ExceptionsHandler): Route {
    return (request, reply) => {
      const refuse = (error: Error) => {
        filters.next(error, new ExecutionContextHost([request, reply]))
        return reply
      }
      try {
        const answer = route(request, reply)
        if (isPromise(answer)) return answer.catch(refuse)
        return answer === undefined ? RESOLVED : answer
      } catch (error) {
        return refuse(error as Error)
      }
    }
  },
}

/** Fastify reads `undefined` as "not yet", unless it comes from a promise. */
const RESOLVED = Promise.resolve()

/** Throws when a guard refuses; returns a promise when there is one to wait for. */
function pass(guards: readonly CanActivate[], context: ExecutionContextHost, from = 0): unknown {
  for (let i = from; i < guards.length; i++) {
    const isAllowed = (guards[i] as CanActivate).canActivate(context)
    if (typeof isAllowed !== 'boolean') return passLater(isAllowed, () => pass(guards, context, i + 1))
    requireAllowed(isAllowed)
  }
}

async function passLater(isAllowed: unknown, next: () => unknown): Promise<void> {
  requireAllowed(await isAllowed)
  await next()
}

function requireAllowed(isAllowed: unknown): void {
  if (isAllowed !== true) throw new ForbiddenException()
}

/** `next` at once, or when the promise resolves. */
function after(value: unknown, next: () => unknown): unknown {
  return isPromise(value) ? value.then(next) : next()
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise
}

interface Parameter {
  readonly index: number
  readonly read: (request: FastifyRequest, reply: FastifyReply) => unknown
  readonly pipes: readonly PipeTransform[]
  readonly metadata: ArgumentMetadata
}

function valuesOf(parameters: readonly Parameter[], request: FastifyRequest, reply: FastifyReply): unknown[] {
  const values: unknown[] = []
  for (const { index, read } of parameters) values[index] = read(request, reply)
  return values
}

async function pipedValues(
  parameters: readonly Parameter[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown[]> {
  const values = valuesOf(parameters, request, reply)
  for (const { index, pipes, metadata } of parameters)
    for (const pipe of pipes) values[index] = await pipe.transform(values[index], metadata)
  return values
}

function parameterOf(
  { index, type, data, pipes, extractValue }: ParamProperties,
  pipesOfRoute: readonly PipeTransform[],
  types: readonly unknown[] | undefined,
): Parameter {
  const sent = CLIENT_INPUT.get(type)
  return {
    index,
    read: extractValue as Parameter['read'],
    pipes: sent ? [...pipesOfRoute, ...pipes] : pipes,
    metadata: { type: sent ?? 'custom', data: data as string, metatype: types?.[index] as never },
  }
}

/** What Nest's types keep private. */
interface PartsOfNest {
  readonly guardsContextCreator: Creator<CanActivate>
  readonly pipesContextCreator: Creator<PipeTransform>
  readonly interceptorsContextCreator: Creator<unknown>
  readonly contextUtils: { reflectPassthrough(instance: object, name: string): boolean | undefined }
}

interface Creator<T> {
  create(instance: object, handler: Handler, module: string): T[]
}
