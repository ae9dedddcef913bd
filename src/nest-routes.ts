// What was decided here, and why: docs/decisions/http.md
import {
  type ArgumentMetadata,
  type CanActivate,
  ForbiddenException,
  type PipeTransform,
  type RequestMethod,
  type Type,
} from '@nestjs/common'
import { REDIRECT_METADATA, RENDER_METADATA, RouteParamtypes, SSE_METADATA } from '@nestjs/common/internal'
import type { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import type { ParamProperties, RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Handler = (...args: unknown[]) => unknown
type Route = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Marks of handlers that answer in a way of their own. */
const ELSEWHERE = [SSE_METADATA, RENDER_METADATA, REDIRECT_METADATA]

/** What a client sends; pipes of whole routes see nothing else. */
const SENT = new Map<unknown, 'body' | 'query' | 'param'>([
  [RouteParamtypes.BODY, 'body'],
  [RouteParamtypes.QUERY, 'query'],
  [RouteParamtypes.PARAM, 'param'],
])

/**
 * Makes what Fastify calls for the routes of controllers, from the same decorators and in the same order as
 * Nest's own factories: guards, pipes, handler, answer. It waits only for what is a promise, where Nest waits
 * some ten times in a request that has none. There are no interceptors, redirects, templates or streams of
 * events: a controller that has them fails at start.
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
    if (interceptors.length > 0 || ELSEWHERE.some(key => Reflect.hasMetadata(key, handler)))
      throw new Error(`${type.name}.${name} needs what src/nest-routes.ts leaves out`)
    const guards = this.parts.guardsContextCreator.create(instance, handler, module)
    const pipes = this.parts.pipesContextCreator.create(instance, handler, module)
    const found = route.getParamsMetadata(module) as ParamProperties[]
    const parameters = found.map(each => parameterOf(each, pipes, route.paramtypes))
    const isAnswering = this.isAnswering(instance, name, found)
    // One function: another asynchronous one would be waited for, even with nothing to wait for.
    return async (request, reply) => {
      const context = new ExecutionContextHost([request, reply], type, handler)
      for (const guard of guards) {
        const isAllowed = guard.canActivate(context)
        if (!(typeof isAllowed === 'boolean' ? isAllowed : await isAllowed)) throw new ForbiddenException()
      }
      reply.code(route.httpStatusCode)
      for (const { name, value } of route.responseHeaders) reply.header(name, value)
      const values: unknown[] = []
      for (const { index, read, pipes, metadata } of parameters) {
        let value = read(request, reply)
        for (const pipe of pipes) value = await pipe.transform(value, metadata)
        values[index] = value
      }
      const answer = await handler.apply(instance, values)
      return isAnswering ? reply : answer
    }
  }

  /** Whether the handler sends the answer: it has `@Res()` without `passthrough`. */
  private isAnswering(instance: object, name: string, parameters: readonly ParamProperties[]): boolean {
    const hasReply = parameters.some(({ type }) => type === RouteParamtypes.RESPONSE)
    return hasReply && !this.parts.contextUtils.reflectPassthrough(instance, name)
  }
}

/** Nest's own drops what a route returns, which Fastify would send or, if it is the reply, wait for. */
export const routesWithFilters = {
  createProxy(route: Route, filters: ExceptionsHandler): Route {
    return async (request, reply) => {
      try {
        return await route(request, reply)
      } catch (error) {
        filters.next(error as Error, new ExecutionContextHost([request, reply]))
        return reply
      }
    }
  },
}

interface Parameter {
  readonly index: number
  readonly read: (request: FastifyRequest, reply: FastifyReply) => unknown
  readonly pipes: readonly PipeTransform[]
  readonly metadata: ArgumentMetadata
}

function parameterOf(
  { index, type, data, pipes, extractValue }: ParamProperties,
  pipesOfRoute: readonly PipeTransform[],
  types: readonly unknown[] | undefined,
): Parameter {
  const sent = SENT.get(type)
  return {
    index,
    read: extractValue as Parameter['read'],
    pipes: sent ? [...pipesOfRoute, ...pipes] : pipes,
    metadata: { type: sent ?? 'custom', data: data as string, metatype: types?.[index] as never },
  }
}

/** What Nest's types keep to themselves. */
interface PartsOfNest {
  readonly guardsContextCreator: Creator<CanActivate>
  readonly pipesContextCreator: Creator<PipeTransform>
  readonly interceptorsContextCreator: Creator<unknown>
  readonly contextUtils: { reflectPassthrough(instance: object, name: string): boolean | undefined }
}

interface Creator<T> {
  create(instance: object, handler: Handler, module: string): T[]
}
