import { eq } from 'drizzle-orm'
import { handleOf, type SessionId, secondsAfter, sessions } from '../../sources.js'
import type { Service } from '../service/service.js'

const LIFE_AND_A_SECOND = 30 * 24 * 60 * 60 + 1

/**
 * What 30 days and a second do to a session, without the wait: its times lie so much earlier. Its row stays, as if
 * the cleanup had not come round to it.
 */
export async function moveIntoThePast(service: Service, sessionId: string): Promise<void> {
  const sid = handleOf(sessionId as SessionId)
  await service.query(async db => {
    const isThis = eq(sessions.sid, sid)
    const [row] = await db.select().from(sessions).where(isThis)
    const earlier = (time: Date) => secondsAfter(time, -LIFE_AND_A_SECOND)
    const times = {
      createdAt: earlier(row!.createdAt),
      lastUsed: earlier(row!.lastUsed),
      expiresAt: earlier(row!.expiresAt),
    }
    await db.update(sessions).set(times).where(isThis)
  })
  await service.store.forget({ sids: [sid], userIds: [], accountIds: [] })
}

/** What ten minutes do to a session, without the wait: its login no longer counts as a re-authentication. */
export async function forgetProof(service: Service, sessionId: string): Promise<void> {
  const sid = handleOf(sessionId as SessionId)
  await service.query(db => db.update(sessions).set({ reauthenticatedAt: null }).where(eq(sessions.sid, sid)))
  await service.store.forget({ sids: [sid], userIds: [], accountIds: [] })
}
