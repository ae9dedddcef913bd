import { Injectable } from '@nestjs/common'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { billingWork } from '../database/schema.js'
import { ASKED_AGAIN } from './billing-inbox.js'

/** A customer that this worker, and no other, looks at. */
export interface ClaimedWork {
  readonly customerId: string
  readonly version: number
  readonly attempts: number
}

/** Longer than a look and its transaction can take; a worker that died loses its claim then. */
const CLAIM_SECONDS = 60
/** 1 s, 2 s, 4 s … at most an hour: the provider's troubles last minutes, its outages hours. */
const MAX_PAUSE_SECONDS = 3_600
/** About ten hours of trying; what still fails then wants an operator. */
export const MAX_ATTEMPTS = 20

/** Which customers have to be looked at. All times are the database's: every replica has the same. */
@Injectable()
export class BillingWork {
  constructor(private readonly database: Database) {}

  /** There is a reason to look at the customer, at once or in `afterSeconds`. */
  async ask(db: Db, customerId: string, afterSeconds = 0): Promise<void> {
    await db.execute(sql`
      insert into ${billingWork} (customer_id, due_at)
      values (${customerId}, clock_timestamp() + make_interval(secs => ${afterSeconds}))
      on conflict (customer_id) do update set ${ASKED_AGAIN}`)
  }

  /** At most `limit` customers that are due, for this worker alone. */
  async claim(limit: number): Promise<ClaimedWork[]> {
    const isFree = sql`(claimed_until is null or claimed_until < clock_timestamp())`
    const claimed = await this.database.run(db =>
      db
        .update(billingWork)
        .set({ claimedUntil: sql`clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})` })
        .where(
          sql`${billingWork.customerId} in (
            select customer_id from ${billingWork}
            where due_at <= clock_timestamp() and parked_at is null and ${isFree}
            order by due_at limit ${limit} for update skip locked)`,
        )
        .returning({
          customerId: billingWork.customerId,
          version: billingWork.version,
          attempts: billingWork.attempts,
        }),
    )
    return claimed
  }

  /** The work is done, in the transaction of its effect; unless there was another reason to look meanwhile. */
  async finish(transaction: Db, { customerId, version }: ClaimedWork): Promise<void> {
    const isThis = eq(billingWork.customerId, customerId)
    const finished = await transaction
      .delete(billingWork)
      .where(and(isThis, eq(billingWork.version, version)))
      .returning({ customerId: billingWork.customerId })
    if (finished.length === 0)
      await transaction
        .update(billingWork)
        .set({ claimedUntil: null, attempts: 0, lastError: null })
        .where(isThis)
  }

  /** Tries again later, each time later still; gives it up after {@link MAX_ATTEMPTS}. Says whether it was given up. */
  async retry({ customerId, attempts }: ClaimedWork, reason: string): Promise<boolean> {
    const isLast = attempts + 1 >= MAX_ATTEMPTS
    const pauseSeconds = Math.min(2 ** attempts, MAX_PAUSE_SECONDS) * (0.75 + Math.random() / 2)
    await this.database.run(db =>
      db
        .update(billingWork)
        .set({
          attempts: attempts + 1,
          claimedUntil: null,
          dueAt: sql`clock_timestamp() + make_interval(secs => ${pauseSeconds})`,
          parkedAt: isLast ? sql`clock_timestamp()` : null,
          lastError: reason.slice(0, 500),
        })
        .where(eq(billingWork.customerId, customerId)),
    )
    return isLast
  }

  /** Gives up a claim that came to nothing, so that another worker can have it at once. */
  async release({ customerId }: ClaimedWork): Promise<void> {
    await this.database.run(db =>
      db.update(billingWork).set({ claimedUntil: null }).where(eq(billingWork.customerId, customerId)),
    )
  }

  /** Whether anything waits that has not been given up. */
  async isIdle(): Promise<boolean> {
    const waiting = await this.database.run(db =>
      db
        .select({ customerId: billingWork.customerId })
        .from(billingWork)
        .where(and(isNull(billingWork.parkedAt), sql`due_at <= clock_timestamp()`))
        .limit(1),
    )
    return waiting.length === 0
  }
}
