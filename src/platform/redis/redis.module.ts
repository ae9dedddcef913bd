import { setTimeout as sleep } from 'node:timers/promises'
import { Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { OpenConnections } from '../database/open-connections.js'
import { causeMessage } from '../errors/cause-message.js'
import { StartError } from '../errors/start-error.js'
import { Logger } from '../log.js'
import { Metrics } from '../metrics.js'
import { Tracing } from '../tracing.js'
import { RedisConnection } from './redis-connection.js'

/** How long to look for a usable server at start, because machines start in any order. */
const OPEN_WITHIN_MS = 30_000
const RETRY_EVERY_MS = 500

/** Provides the {@link RedisConnection}, or null where SESSION_STORE_URL is empty. */
@Module({
  providers: [
    {
      provide: RedisConnection,
      inject: [Settings, OpenConnections, Metrics, Tracing],
      useFactory: async (
        { sessionStoreUrl: url, sessionStoreTimeoutMs }: Settings,
        connections: OpenConnections,
        metrics: Metrics,
        tracing: Tracing,
      ) => {
        if (!url) return null
        const { signal } = connections
        const redis = await connections.track(openRedis(url, sessionStoreTimeoutMs, { signal, tracing }))
        metrics.histogram(redis.durations)
        return redis
      },
    },
  ],
  exports: [RedisConnection],
})
export class RedisModule {}

/**
 * Connects to `url`, allowing `timeoutMs` for each answer; waits up to 30 s for a server. Throws an Error
 * when there is none, or when one may evict sessions. Stops waiting when `signal` aborts.
 */
export async function openRedis(
  url: string,
  timeoutMs: number,
  { signal, tracing }: { signal?: AbortSignal; tracing?: Tracing } = {},
): Promise<RedisConnection> {
  // Loaded only where it is used.
  const { createRedisClient } = await import('./create-redis-client.js')
  const giveUpAt = performance.now() + OPEN_WITHIN_MS
  for (let attempt = 1; ; attempt++) {
    const connection = new RedisConnection(createRedisClient(url), timeoutMs, tracing)
    try {
      await connection.connect()
      return connection
    } catch (cause) {
      connection.onApplicationShutdown()
      const reason = causeMessage(cause)
      if (connection.isFinal(cause) || performance.now() > giveUpAt || signal?.aborted)
        throw new StartError(`The session store cannot be used: ${reason}`, { cause })
      if (attempt === 1) new Logger('Redis').warn(`Waiting for the session store: ${reason}`)
      await sleep(RETRY_EVERY_MS)
    }
  }
}
