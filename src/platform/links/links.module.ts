import { Module } from '@nestjs/common'
import { AuditLogModule } from '../audit/audit-log.module.js'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { OneTimeTokenCleanup } from './one-time-token-cleanup.job.js'
import { OneTimeTokens } from './one-time-tokens.js'
import { UsedTexts } from './used-texts.js'

@Module({
  imports: [AuditLogModule, RateLimitsModule],
  providers: [OneTimeTokens, OneTimeTokenCleanup, UsedTexts],
  exports: [OneTimeTokens, OneTimeTokenCleanup, UsedTexts],
})
export class LinksModule {}
