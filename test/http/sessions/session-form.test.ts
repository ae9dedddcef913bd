import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { FIELDS, type SessionHandle, sessionKey } from '../../sources.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { onServers } from '../../support/tiers.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('SESSION_FORM', () => {
  let redis: RedisServer
  let compact: TestApp
  let long: TestApp
  beforeAll(async () => {
    redis = await startRedis()
    compact = await TestApp.start({
      SESSION_STORE_URL: redis.url,
      SESSION_FORM: 'compact',
    })
    long = await TestApp.start({ ...compact.stores, JWT_KEYS_FILE: compact.settings.jwtKeysFile })
  })
  afterAll(async () => {
    await long?.stop()
    await compact?.stop()
    await redis?.stop()
  })

  const fieldsOf = async ({ accessToken }: SignedIn) => {
    const { sid } = claimsOf(accessToken)
    return (await redisCli(redis.port, 'HKEYS', sessionKey(sid as SessionHandle))).split('\n')
  }

  onServers('says how sessions are written, and replicas serve them whatever it says', async () => {
    const owner = await anOwner(compact)
    const sessions = [await signIn(compact, owner, 'main'), await signIn(long, owner, 'main')] as const
    expect(await fieldsOf(sessions[0])).not.toContain(FIELDS.accountId)
    expect(await fieldsOf(sessions[1])).toContain(FIELDS.accountId)
    for (const app of [compact, long])
      for (const { sessionId } of sessions) expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
    const onSatellite = await signIn(compact, owner, 'satellite')
    expect(outcome(await refreshByHeader(long, onSatellite.sessionId))).toBe('200')
  })
})
