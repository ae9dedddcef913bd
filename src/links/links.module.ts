import { Module } from '@nestjs/common'
import { AttemptsModule } from '../rate-limits/rate-limits.module.js'
import { OneTimeTokenCleanup } from './one-time-token-cleanup.js'
import { OneTimeTokens } from './one-time-tokens.js'
import { FollowedLinks } from './rate-limited-tokens.js'

@Module({
  imports: [AttemptsModule],
  providers: [OneTimeTokens, FollowedLinks, OneTimeTokenCleanup],
  exports: [OneTimeTokens, FollowedLinks, OneTimeTokenCleanup],
})
export class OneTimeTokensModule {}
