import { afterAll, beforeAll } from '@jest/globals'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'

export interface StoreService {
  readonly app: TestApp
  stop(): Promise<void>
}

/** The service with a PostgreSQL database of its own, and copies of its sessions at `sessionStoreUrl`. */
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

export interface Replicas extends StoreService {
  /** Beside `app`, on the same stores and keys. */
  readonly other: TestApp
}

/** Like {@link startServiceOn}, two of it. */
export async function startReplicasOn(
  sessionStoreUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Replicas> {
  const { app, stop } = await startServiceOn(sessionStoreUrl, environment)
  try {
    const other = await startBeside(app, environment)
    return {
      app,
      other,
      stop: async () => {
        await other.stop()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Another replica. */
export function startBeside(
  app: TestApp,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const { jwtKeysFile, secretsKeysFile, jwtIssuer } = app.settings
  const keys = { JWT_KEYS_FILE: jwtKeysFile, SECRETS_KEYS_FILE: secretsKeysFile, JWT_ISSUER: jwtIssuer }
  return TestApp.start({ ...app.stores, ...keys, ...environment })
}

/** For the tests of one `describe`: a Redis and two replicas on it. `onStart` gets them before the first test. */
export function serveOnRedis(
  onStart: (started: { redis: RedisServer; app: TestApp; other: TestApp }) => void,
  args: string[] = [],
): void {
  let redis: RedisServer | undefined
  let service: Replicas | undefined
  beforeAll(async () => {
    redis = await startRedis({ args })
    service = await startReplicasOn(redis.url)
    onStart({ redis, app: service.app, other: service.other })
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })
}
