import { LRUCache } from 'lru-cache'
import { clientNetworkOf } from '../../http/network.js'
import type { AuditEvent } from '../audit-event.js'

/** Rows of one action of one user, or of nobody from one network, in an hour. Enough to see what it was; a flood is told by its count. */
const ROWS_AN_HOUR = 20
const HOUR_MS = 60 * 60 * 1000
/** More at once push out those of longest ago, whose rows are bounded by the budget of all. */
const MAX_SUBJECTS = 20_000

/** Which refusals get a row of their own in this process. */
export class RowAllowance {
  private readonly used = new LRUCache<string, number>({ max: MAX_SUBJECTS, ttl: HOUR_MS, noUpdateTTL: true })

  /** Takes one of the rows that there are for such a refusal; false when there is none left. */
  take({ action, userId, client }: AuditEvent): boolean {
    const key = `${action} ${userId ?? (client ? clientNetworkOf(client.ip) : '')}`
    const used = this.used.get(key) ?? 0
    if (used >= ROWS_AN_HOUR) return false
    this.used.set(key, used + 1)
    return true
  }
}
