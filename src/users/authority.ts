import { type Actor, OPERATOR } from '../audit/actor.js'
import type { Db } from '../database/connection.js'

/** On whose authority a user is changed. */
export interface Authority {
  readonly actor: Actor
  /**
   * Runs first in the transaction of the change. Locks what it checks, and throws unless the change is
   * allowed.
   */
  readonly check: (transaction: Db) => Promise<void>
}

export const OPERATORS_AUTHORITY: Authority = { actor: OPERATOR, check: async () => {} }
