import { afterAll, beforeAll } from '@jest/globals'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'

export interface StoreService {
  readonly app: TestApp
  stop(): Promise<void>
}

/** The service with its sessions at `sessionStoreUrl` and everything else in a PostgreSQL database of its own. */
export async function startServiceOn(
  sessionStoreUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<StoreService> {
  const { url, drop } = await createDatabase()
  const app = await TestApp.start({
    DATABASE_URL: url,
    SESSION_STORE_URL: sessionStoreUrl,
    // An outage fills the log, as it should.
    ...environment,
  })
  return {
    app,
    stop: async () => {
      await app.stop()
      await drop()
    },
  }
}

/** For the tests of one `describe`: a Redis and the service on it. `onStart` gets both before the first test. */
export function serveOnRedis(onStart: (started: { redis: RedisServer; app: TestApp }) => void): void {
  let redis: RedisServer | undefined
  let service: StoreService | undefined
  beforeAll(async () => {
    redis = await startRedis()
    service = await startServiceOn(redis.url)
    onStart({ redis, app: service.app })
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })
}
