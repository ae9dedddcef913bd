import type { FastifyReply, FastifyRequest, RawServerBase, RouteGenericInterface } from 'fastify'
import { AccessTokenError, PROBLEM_CONTENT_TYPE } from './access-token-error.js'
import type { Permission } from './caller.js'
import { authorizationOf, setCaller } from './requests.js'
import type { AccessTokenVerifier, Requirement } from './verifier.js'

/**
 * An `onRequest` hook, for one route or for all: lets through only requests with a valid token that meets the
 * requirement. Throws a TypeError for a requirement that does not exist.
 */
export function fastifyGuard(verifier: AccessTokenVerifier, requirement?: Permission | Requirement) {
  if (requirement !== undefined) verifier.checkRequirement(requirement)
  return async <Server extends RawServerBase>(
    request: FastifyRequest<RouteGenericInterface, Server>,
    reply: FastifyReply<RouteGenericInterface, Server>,
  ): Promise<FastifyReply<RouteGenericInterface, Server> | undefined> => {
    try {
      setCaller(request, await verifier.verifyHeader(authorizationOf(request.raw), requirement))
      return undefined
    } catch (error) {
      if (!(error instanceof AccessTokenError)) throw error
      return reply
        .code(error.statusCode)
        .headers({ ...error.headers, 'Content-Type': PROBLEM_CONTENT_TYPE })
        .send(JSON.stringify(error.problem))
    }
  }
}
