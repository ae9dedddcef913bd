import { FIELDS, handleOf, type SessionId, sessionKey } from '../../sources.js'
import type { Service } from '../service/service.js'

const LIFE_AND_A_SECOND = 30 * 24 * 60 * 60 + 1

/**
 * What 30 days and a second do to a session, without the wait: its times lie so much earlier. The key stays, as if
 * the store had not come round to dropping it.
 */
export async function moveIntoThePast(service: Service, sessionId: string): Promise<void> {
  const key = sessionKey(handleOf(sessionId as SessionId))
  for (const field of [FIELDS.createdAt, FIELDS.lastUsed, FIELDS.expiresAt])
    await service.redis('HINCRBY', key, field, String(-LIFE_AND_A_SECOND))
  await service.redis('PERSIST', key)
}
