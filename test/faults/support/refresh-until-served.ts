import { expect } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import type { SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { refresh } from './requests.js'

interface Sessions {
  readonly live: SignedIn
  /** Refreshed beside it; must never be served. */
  readonly ended?: SignedIn
}

/**
 * Refreshes again and again until the live session is served. On the way it may be 503 only, never 401, and the
 * ended one 503 or 401, never 200; afterwards it is 401. Says whether there was an outage at all, how long it lasted from now
 * on, and how many of the two were ever answered otherwise.
 */
export async function refreshUntilServed(
  app: TestApp,
  { live, ended }: Sessions,
  timeoutMs: number,
): Promise<{ wasUnavailable: boolean; recoveredMs: number; lost: number }> {
  const startedAt = performance.now()
  const ofLive = new Set<number>()
  const ofEnded = new Set<number>()
  const once = async (session: SignedIn, seen: Set<number>) => {
    const { status } = await refresh(app, session)
    seen.add(status)
    return status
  }
  await eventually(
    async () => {
      const [status] = await Promise.all([once(live, ofLive), ended && once(ended, ofEnded)])
      return status !== 503
    },
    { what: 'the session to be served', timeoutMs },
  )
  const recoveredMs = performance.now() - startedAt
  // On a busy machine a single answer may be late, which is 503 too.
  if (ended)
    await eventually(async () => (await once(ended, ofEnded)) !== 503, {
      what: 'an answer about the session that was ended',
      timeoutMs,
    })
  const wasUnavailable = ofLive.delete(503)
  ofEnded.delete(503)
  expect([...ofLive]).toEqual([200])
  expect([...ofEnded]).toEqual(ended ? [401] : [])
  const lost = [ofLive.has(401), ofEnded.has(200)].filter(isLost => isLost).length
  return { wasUnavailable, recoveredMs, lost }
}
