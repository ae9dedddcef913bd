import { environmentOf } from '../../conformance/service/environment.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'

/** A replica in this process, to look and to prepare with; on its stores others are run as the built service. */
export interface BesideBuilt {
  readonly app: TestApp
  readonly redis: RedisServer
  /** For a built replica of its own port. */
  environment(settings?: Readonly<Record<string, string>>): Promise<Record<string, string>>
  stop(): Promise<void>
}

export async function startBesideBuilt(): Promise<BesideBuilt> {
  const [database, redis] = await Promise.all([createDatabase(), startRedis()])
  const stores = { DATABASE_URL: database.url, SESSION_STORE_URL: redis.url }
  // As the built ones hash: a login takes its time there.
  const app = await TestApp.start({ ...stores, HASH_MEMORY_KIB: '19456' })
  return {
    app,
    redis,
    environment: async (settings = {}) =>
      environmentOf({
        ...stores,
        PORT: String(await freePort()),
        JWT_KEYS_FILE: app.settings.jwtKeysFile,
        SECRETS_KEYS_FILE: app.settings.secretsKeysFile,
        LOG_LEVEL: 'silent',
        DRAIN_SECONDS: '0',
        ...settings,
      }),
    stop: async () => {
      await app.stop()
      await Promise.all([redis.stop(), database.drop()])
    },
  }
}
