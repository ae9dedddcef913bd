// What was decided here, and why: docs/decisions/tokens-are-signed-with-es256.md
import { Module } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { JwtModule } from '@nestjs/jwt'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { AccessTokens } from './access-tokens.js'
import { DataController } from './data.controller.js'
import { JwksController } from './jwks.controller.js'
import { JwtGuard } from './jwt.guard.js'
import { SigningKeys } from './signing-keys.js'

@Module({
  imports: [RateLimitsModule, JwtModule.register({})],
  controllers: [JwksController, DataController],
  providers: [SigningKeys, AccessTokens, { provide: APP_GUARD, useClass: JwtGuard }],
  exports: [AccessTokens],
})
export class TokensModule {}
