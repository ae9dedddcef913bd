import type { IncomingMessage, ServerResponse } from 'node:http'
import { AccessTokenError, PROBLEM_CONTENT_TYPE } from './access-token-error.js'
import type { Permission } from './caller.js'
import { authorizationOf, setCaller } from './requests.js'
import type { AccessTokenVerifier, Requirement } from './verifier.js'

/**
 * A middleware, for one route or for all: lets through only requests with a valid token that meets the
 * requirement. Throws a TypeError for a requirement that does not exist.
 */
export function expressGuard(verifier: AccessTokenVerifier, requirement?: Permission | Requirement) {
  if (requirement !== undefined) verifier.checkRequirement(requirement)
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      setCaller(request, await verifier.verifyHeader(authorizationOf(request), requirement))
    } catch (error) {
      if (error instanceof AccessTokenError) answer(response, error)
      else next(error)
      return
    }
    next()
  }
}

function answer(response: ServerResponse, { statusCode, headers, problem }: AccessTokenError): void {
  // A timeout, say, has answered meanwhile.
  if (response.headersSent) return
  response.writeHead(statusCode, { ...headers, 'Content-Type': PROBLEM_CONTENT_TYPE })
  response.end(JSON.stringify(problem))
}
