import { expect } from '@jest/globals'
import type { SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { refreshOwn } from './requests.js'

interface Watched {
  readonly apps: readonly TestApp[]
  /** Must be served all the time. */
  readonly live: readonly SignedIn[]
  /** Must never be served. */
  readonly ended: readonly SignedIn[]
}

/**
 * Refreshes all these sessions at every replica again and again until `meanwhile` is over, at least once after it. Returns how
 * many answers were wrong, which a test fails for anyway, and how long the slowest took.
 */
export async function whileRefreshing(
  { apps, live, ended }: Watched,
  meanwhile: () => Promise<void>,
): Promise<{ lost: number; answeredMs: number }> {
  let isOver = false
  const seen = { live: new Map<number, number>(), ended: new Map<number, number>() }
  const unavailable = new Set<string>()
  let answeredMs = 0
  const keepAsking = async (app: TestApp, session: SignedIn, statuses: Map<number, number>) => {
    for (let isLast = false; !isLast; ) {
      isLast = isOver
      const sentAt = performance.now()
      const { status, text } = await refreshOwn(app, session)
      if (status === 503) unavailable.add(text)
      answeredMs = Math.max(answeredMs, performance.now() - sentAt)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const asking = apps.flatMap(app => [
    ...live.map(session => keepAsking(app, session, seen.live)),
    ...ended.map(session => keepAsking(app, session, seen.ended)),
  ])
  try {
    await meanwhile()
  } finally {
    isOver = true
    await Promise.all(asking)
  }
  const statusesOf = (statuses: Map<number, number>) => [...statuses.keys()]
  expect({
    live: statusesOf(seen.live),
    ended: statusesOf(seen.ended),
    unavailable: [...unavailable],
  }).toEqual({
    live: live.length > 0 ? [200] : [],
    ended: ended.length > 0 ? [401] : [],
    unavailable: [],
  })
  return { lost: (seen.live.get(401) ?? 0) + (seen.ended.get(200) ?? 0), answeredMs }
}
