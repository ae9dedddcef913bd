import { mkdtempSync } from 'node:fs'
import Module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes the folder of the archives that the tests share, TEST_ARCHIVES. Starts the PostgreSQL and the Redis that the chosen
 * tests share, if they need them. Workers find them by TEST_POSTGRES_URL and TEST_REDIS_URL.
 */
export default async function globalSetup(): Promise<void> {
  process.env.TEST_ARCHIVES = mkdtempSync(join(tmpdir(), 'mainstay-archives-'))
  if (process.env.TEST_SERVERS !== 'yes' || !process.env.TEST_NEEDS_SERVERS) return
  findSourcesOfJsNames()
  const { startPostgres } = await import('./postgres/postgres-server.js')
  const { startSharedRedis } = await import('./redis/redis-server.js')
  const [postgres, redis] = await Promise.all([startPostgres(), startSharedRedis()])
  process.env.TEST_POSTGRES_URL = postgres.url
  process.env.TEST_REDIS_URL = redis.url
  globalThis.stopSharedServers = async () => {
    await Promise.all([postgres.stop(), redis.stop()])
  }
}

declare global {
  var stopSharedServers: (() => Promise<void>) | undefined
}

// Jest compiles this file but loads it with Node's own resolver, to which its moduleNameMapper is
// unknown: './x.js' has to find './x.ts' here too.
function findSourcesOfJsNames(): void {
  const loader = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string }
  const resolve = loader._resolveFilename
  loader._resolveFilename = (name, ...rest) => {
    try {
      return resolve.call(Module, name, ...rest)
    } catch (error) {
      if (!/^\.{1,2}\/.*\.js$/.test(name)) throw error
      return resolve.call(Module, name.replace(/\.js$/, '.ts'), ...rest)
    }
  }
}
