import type { AuditAction } from '../../platform/audit/audit-event.js'
import type { AuditRow } from '../audit-hash.js'

/** The `type_id` of a regular user, and of an unknown one. */
const USER = 1
const UNKNOWN = 0

/** Whom a row concerns: the user, or the address that was tried. */
export function userOf({ userId, accountId, detail }: AuditRow, email: string | null) {
  if (userId)
    return {
      uid: userId,
      type_id: USER,
      ...(email && { name: email, email_addr: email }),
      ...(accountId && { org: { uid: accountId } }),
    }
  const tried = typeof detail.email === 'string' ? detail.email : null
  return tried ? { name: tried, email_addr: tried, type_id: UNKNOWN } : { name: 'unknown', type_id: UNKNOWN }
}

/** Who did it: another user, the user themselves, or, without a request, an operator or the service itself. */
export function actorOf(row: AuditRow, email: string | null) {
  const { userId, sid, ip, detail } = row
  if (typeof detail.by === 'string') return { user: { uid: detail.by, type_id: USER } }
  if (!ip) return { app_name: 'mainstay' }
  if (!userId) return { user: userOf(row, email) }
  return { user: userOf(row, email), ...(sid && { session: { uid: sid } }) }
}

/** The permissions that a user has now, or the satellites that they may use. */
export function privilegesOf(action: AuditAction, detail: AuditRow['detail']): string[] {
  if (action === 'satellites.change') return namesIn(detail.satellites, 'every satellite')
  return namesIn(detail.granted ?? detail.permissions, 'everything')
}

/** The names in a list, or those that are true in an object; null stands for `all`. */
function namesIn(value: unknown, all: string): string[] {
  if (value === null) return [all]
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, isGranted]) => (isGranted === true ? [name] : []))
}

const TITLES: Readonly<Partial<Record<string, string>>> = {
  'session.anomaly': 'Unusual login or refresh',
  'handoff.replay': 'A hand-off code was used a second time',
  'passkey.counter': 'A passkey may have been copied',
}

/** What was noticed. */
export function findingOf({ id, action, at, detail }: AuditRow) {
  const reasons = Array.isArray(detail.reasons) ? detail.reasons.map(String) : []
  return {
    uid: String(id),
    title: TITLES[action] ?? action,
    types: [action],
    created_time: at.getTime(),
    ...(reasons.length > 0 && { desc: reasons.join(', ') }),
  }
}
