import { handleOf, RedisConnection, type SessionId } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { TestApp } from '../../support/test-app.js'

/** Repeats `refresh` until Redis has a copy of the session, so that the next one is served from it; once where there is no Redis. */
export async function untilCopied(
  app: TestApp,
  sessionId: string,
  refresh: () => Promise<unknown>,
): Promise<void> {
  const redis = app.get<RedisConnection | null>(RedisConnection)
  const key = `copy:${handleOf(sessionId as SessionId)}`
  const isCopied = async () => {
    await refresh()
    return !redis || /^\d/.test((await redis.run(commands => commands.get(key))) ?? '')
  }
  await eventually(isCopied, { what: 'the session to be copied', everyMs: 200 })
}
