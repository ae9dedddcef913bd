import { Module } from '@nestjs/common'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { OneTimeTokenCleanup } from './one-time-token-cleanup.js'
import { OneTimeTokens } from './one-time-tokens.js'
import { RateLimitedTokens } from './rate-limited-tokens.js'

@Module({
  imports: [RateLimitsModule],
  providers: [OneTimeTokens, RateLimitedTokens, OneTimeTokenCleanup],
  exports: [OneTimeTokens, RateLimitedTokens, OneTimeTokenCleanup],
})
export class LinksModule {}
