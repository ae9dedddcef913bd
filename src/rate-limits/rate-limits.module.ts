// What was decided here, and why: docs/decisions/rate-limits.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { RedisModule } from '../redis/redis.module.js'
import { RedisConnection } from '../redis/redis-connection.js'
import { Counters } from './counters.js'
import { RateLimiter } from './rate-limiter.js'

@Module({
  imports: [AuditModule, RedisModule],
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
