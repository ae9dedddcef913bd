import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CanActivate, type ExecutionContext, HttpException } from '@nestjs/common'
import { AccessTokenError } from './access-token-error.js'
import type { Permission } from './caller.js'
import { setCaller } from './callers.js'
import type { AccessTokenVerifier } from './verifier.js'

/** Fastify's request and reply wrap those of Node; Express's are those of Node. */
type OfEither<T> = T & { readonly raw?: T }

/** Only requests with a valid token, and the permission, come through: `@UseGuards(new NestGuard(verifier, 'dataEntry'))`. */
export class NestGuard implements CanActivate {
  constructor(
    private readonly verifier: AccessTokenVerifier,
    private readonly permission?: Permission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp()
    const request = http.getRequest<OfEither<IncomingMessage>>()
    const { authorization } = (request.raw ?? request).headersDistinct
    try {
      setCaller(request, await this.verifier.verifyHeader(authorization, this.permission))
      return true
    } catch (error) {
      if (!(error instanceof AccessTokenError)) throw error
      const response = http.getResponse<OfEither<ServerResponse>>()
      for (const [name, value] of Object.entries(error.headers))
        (response.raw ?? response).setHeader(name, value)
      throw new Refusal(error)
    }
  }
}

/** `statusCode` is for a project whose Nest is another copy than ours: its filter knows the error by that alone. */
class Refusal extends HttpException {
  readonly statusCode: number

  constructor({ problem, statusCode, cause }: AccessTokenError) {
    super(problem, statusCode, { cause })
    this.statusCode = statusCode
  }
}
