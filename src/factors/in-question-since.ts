import type { Session } from '../sessions/session.js'
import { acrOf, TWO_FACTORS } from '../tokens/access-tokens.js'

/**
 * From when on what was done in a session may have been somebody else's. One that has used a second factor did so
 * just before what the user is mailed about, so only the time since then is in question: somebody who has only the
 * mailbox must not be able to remove older factors by a mail about the session in which they were set up. A session
 * whose authentication was voided says 1970.
 */
export function inQuestionSince({
  createdAt,
  amr,
  authTime,
}: Pick<Session, 'createdAt' | 'amr' | 'authTime'>): Date {
  return acrOf(amr) === TWO_FACTORS && authTime > createdAt ? authTime : createdAt
}
