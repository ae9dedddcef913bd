import type { AuditAction, AuditEvent } from '../audit/audit-event.js'
import type { Db } from '../database/connection.js'
import type { Client } from '../http/client.js'
import type { User } from './user.js'

/** The user who is changed. */
export type TargetUser = Pick<User, 'id' | 'accountId'>

/** On whose authority a user is changed. */
export interface Authority {
  readonly client: Client | null
  /** The user who does it; null for an operator at the command line. */
  readonly by: string | null
  /**
   * Runs first in the transaction of the change. Locks what it checks, and throws unless the change is
   * allowed.
   */
  readonly check: (transaction: Db) => Promise<void>
}

/** Whoever can run the command line may do everything. */
export const OPERATOR: Authority = { client: null, by: null, check: async () => {} }

/** The audit row of a change: `userId` is who was changed, `detail.by` who did it. */
export function auditEvent(
  action: AuditAction,
  { id, accountId }: TargetUser,
  { client, by }: Authority,
  detail: Readonly<Record<string, unknown>> = {},
): AuditEvent {
  return { action, outcome: 'ok', userId: id, accountId, client, detail: { ...detail, ...(by && { by }) } }
}
