import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { RedisConnection } from './redis-connection.js'

/** Provides the {@link RedisConnection}, or null where SESSION_STORE_URL is empty. */
@Module({
  providers: [
    {
      provide: RedisConnection,
      inject: [Settings],
      useFactory: ({ sessionStoreUrl, sessionStoreTimeoutMs }: Settings) =>
        sessionStoreUrl ? RedisConnection.open(sessionStoreUrl, sessionStoreTimeoutMs) : null,
    },
  ],
  exports: [RedisConnection],
})
export class RedisModule {}
