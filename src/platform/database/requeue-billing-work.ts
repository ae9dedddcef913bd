import { sql } from 'drizzle-orm'
import { billingWork } from './schema/billing.js'

/**
 * What an upsert into `billing_work` sets when the customer is already queued: there is a new reason to sync.
 * This revives customers that were given up, and a sync in progress will not have seen it.
 */
export const REQUEUE = sql`
  version = ${billingWork.version} + 1,
  due_at = least(${billingWork.dueAt}, excluded.due_at),
  is_routine = ${billingWork.isRoutine} and excluded.is_routine,
  attempts = case when ${billingWork.parkedAt} is null then ${billingWork.attempts} else 0 end,
  parked_at = null`
