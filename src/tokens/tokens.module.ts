// What was decided here, and why: docs/decisions/tokens.md
import { Module } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { JwtModule } from '@nestjs/jwt'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { AccessTokens } from './access-tokens.js'
import { JwksController } from './jwks.controller.js'
import { JwtGuard } from './jwt.guard.js'
import { SigningKeys } from './signing-keys.js'

@Module({
  imports: [RateLimitsModule, JwtModule.register({})],
  controllers: [JwksController],
  providers: [SigningKeys, AccessTokens, { provide: APP_GUARD, useClass: JwtGuard }],
  exports: [AccessTokens],
})
export class TokensModule {}
