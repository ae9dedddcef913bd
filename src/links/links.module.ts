import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { OneTimeTokenCleanup, OneTimeTokens } from './one-time-tokens.js'

@Module({
  imports: [AuditModule, RateLimitsModule],
  providers: [OneTimeTokens, OneTimeTokenCleanup],
  exports: [OneTimeTokens, OneTimeTokenCleanup],
})
export class LinksModule {}
