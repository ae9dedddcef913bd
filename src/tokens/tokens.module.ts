import { Module } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { JwtModule } from '@nestjs/jwt'
import { AccessTokens } from './access-tokens.js'
import { JwksController } from './jwks.controller.js'
import { JwtGuard } from './jwt.guard.js'
import { SigningKeys } from './signing-keys.js'

@Module({
  imports: [JwtModule.register({})],
  controllers: [JwksController],
  providers: [SigningKeys, AccessTokens, { provide: APP_GUARD, useClass: JwtGuard }],
  exports: [AccessTokens],
})
export class TokensModule {}
