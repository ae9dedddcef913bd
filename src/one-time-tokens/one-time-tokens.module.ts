import { Module } from '@nestjs/common'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { FollowedLinks } from './followed-links.js'
import { OneTimeTokenCleanup } from './one-time-token-cleanup.js'
import { OneTimeTokens } from './one-time-tokens.js'

@Module({
  imports: [AttemptsModule],
  providers: [OneTimeTokens, FollowedLinks, OneTimeTokenCleanup],
  exports: [OneTimeTokens, FollowedLinks, OneTimeTokenCleanup],
})
export class OneTimeTokensModule {}
