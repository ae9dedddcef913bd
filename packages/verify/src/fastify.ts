import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccessTokenError, PROBLEM_CONTENT_TYPE } from './access-token-error.js'
import type { Permission } from './caller.js'
import { setCaller } from './callers.js'
import type { AccessTokenVerifier, Requirement } from './verifier.js'

/**
 * An `onRequest` hook, for one route or for all: lets through only requests with a valid token that meets the
 * requirement.
 */
export function fastifyGuard(verifier: AccessTokenVerifier, requirement?: Permission | Requirement) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    try {
      setCaller(request, await verifier.verifyHeader(request.raw.headersDistinct.authorization, requirement))
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
