import { RedisConnection } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { refreshOwn, sidOf } from './requests.js'

/** Where the copy of the session is, or a lease. */
export function copyKey(session: SignedIn): string {
  return `copy:${sidOf(session)}`
}

/** Whether Redis has a copy of the session, not only a lease. */
export async function hasCopy(app: TestApp, session: SignedIn): Promise<boolean> {
  const start = await app.get(RedisConnection).run(commands => commands.getRange(copyKey(session), 0, 4))
  return start !== '' && start !== 'lease'
}

/** Refreshes each session until Redis has a copy of it. */
export async function getCopied(app: TestApp, ...sessions: readonly SignedIn[]): Promise<void> {
  for (const session of sessions)
    await eventually(
      async () => (await refreshOwn(app, session)).status === 200 && (await hasCopy(app, session)),
      { what: 'a copy of the session' },
    )
}
