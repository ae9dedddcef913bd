// What was decided here, and why: docs/decisions/README.md, "Limits"
import { Module } from '@nestjs/common'
import { AuditLogModule } from '../audit/audit-log.module.js'
import { RedisConnection, RedisModule } from '../redis/redis.js'
import { Counters } from './counters.js'
import { RateLimiter } from './rate-limiter.js'

@Module({
  imports: [AuditLogModule, RedisModule],
  providers: [
    {
      provide: Counters,
      inject: [RedisConnection],
      useFactory: (redis: RedisConnection | null) => new Counters(redis),
    },
    RateLimiter,
  ],
  exports: [RateLimiter],
})
export class RateLimitsModule {}
