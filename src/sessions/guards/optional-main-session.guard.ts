import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { DocumentedGuard, documentationOf } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import { AccessTokens } from '../../tokens/access-tokens.js'
import { JwtGuard, requireCaller } from '../../tokens/jwt.guard.js'
import { MainSourceGuard } from './main-source.guard.js'

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
