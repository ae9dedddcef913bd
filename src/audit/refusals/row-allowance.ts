import { LRUCache } from 'lru-cache'
import { clientNetworkOf } from '../../http/network.js'
import type { AuditEvent } from '../audit-event.js'

/**
 * Rows in an hour about one action by one user, or from one network. Enough to see what happened; the size of
 * a flood is in the counts.
 */
const ROWS_AN_HOUR = 20
const HOUR_MS = 60 * 60 * 1000
/**
 * When there are more, the least recently used is dropped; its rows are still bounded by the budget for all.
 */
const MAX_SUBJECTS = 20_000

/** Which refusals get a row of their own in this process. */
export class RowAllowance {
  private readonly used = new LRUCache<string, number>({ max: MAX_SUBJECTS, ttl: HOUR_MS, noUpdateTTL: true })

  /** Takes one row from the allowance for such a refusal; false when it is used up. */
  take({ action, userId, client }: AuditEvent): boolean {
    const key = `${action} ${userId ?? (client ? clientNetworkOf(client.ip) : '')}`
    const used = this.used.get(key) ?? 0
    if (used >= ROWS_AN_HOUR) return false
    this.used.set(key, used + 1)
    return true
  }
}
