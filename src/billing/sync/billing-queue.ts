import { Injectable } from '@nestjs/common'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { Database, rowsOf } from '../../platform/database/database.js'
import { REQUEUE } from '../../platform/database/requeue-billing-work.js'
import { billingWork, providerEvents } from '../../platform/database/schema/billing.js'
import { addUnqueuedAfter, EVENTS_PER_PAGE } from './unqueued-customers.js'

/** A customer claimed by this worker alone. */
export interface ClaimedWork {
  readonly customerId: string
  /** Random, so that no earlier or later holder can be taken for this worker. */
  readonly claim: string
  readonly version: number
  readonly attempts: number
  readonly isRoutine: boolean
}

/** A worker renews its claim three times as often, so a dead one loses it soon, and one slow statement loses none. */
const CLAIM_SECONDS = 15
/** 1 s, 2 s, 4 s … at most an hour: the provider's hiccups last minutes, its outages hours. */
const MAX_PAUSE_SECONDS = 3_600
/** About eight hours of retries; what still fails needs an operator. */
const MAX_ATTEMPTS = 20

const CLAIM_END = sql`clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})`
const RELEASED = { claim: null, claimedUntil: null } as const

/** Which customers have to be synced. All times are by the database's clock, which all replicas share. */
@Injectable()
export class BillingQueue {
  constructor(private readonly database: Database) {}

  /** There is a reason to sync the customer now. */
  async add(customerId: string, transaction?: Db): Promise<void> {
    const insert = sql`
      insert into ${billingWork} (customer_id, due_at) values (${customerId}, clock_timestamp())
      on conflict (customer_id) do update set ${REQUEUE}`
    await this.database.run(db => db.execute(insert), transaction)
  }

  /** Adds these customers to be compared, the first in `afterSeconds` and one every `everySeconds`. */
  async addRoutine(
    customerIds: readonly string[],
    afterSeconds: number,
    everySeconds: number,
  ): Promise<void> {
    const waiting = sql.join(
      customerIds.map((id, index) => sql`(${id}, ${afterSeconds + index * everySeconds}::float8)`),
      sql`, `,
    )
    await this.database.run(db =>
      db.execute(sql`
        insert into ${billingWork} (customer_id, due_at, is_routine)
        select id, clock_timestamp() + make_interval(secs => seconds), true
        from (values ${waiting}) as customer (id, seconds)
        order by id
        on conflict (customer_id) do update set ${REQUEUE}`),
    )
  }

  /**
   * Adds customers of waiting events that are not queued, a limited number of events per statement. There should
   * be none; returns how many there were.
   */
  async addUnqueued(): Promise<number> {
    for (let added = 0, after = ''; ; ) {
      const page = await this.database.run(db => addUnqueuedAfter(db, after))
      added += page.added
      if (page.scanned < EVENTS_PER_PAGE) return added
      after = page.last
    }
  }

  /**
   * Claims at most `max` customers that are due. Those that failed before, and those that are only compared,
   * come last and are at most `maxOther`.
   */
  async claim(max: number, maxOther: number): Promise<ClaimedWork[]> {
    // Not `clock_timestamp()`, which changes from row to row: an index could not tell where those that are due end.
    const due = (which: SQL, limit: number) => sql`
      select customer_id from ${billingWork}
      where ${which} and due_at <= statement_timestamp() and parked_at is null
        and (claimed_until is null or claimed_until < statement_timestamp())
      order by due_at limit ${limit} for update skip locked`
    const claimed = await this.database.run(db =>
      db.execute(sql`
        with fresh as (${due(sql`not is_routine and attempts = 0`, max)}),
          failed as (${due(sql`not is_routine and attempts > 0`, maxOther)}),
          routine as (${due(sql`is_routine`, maxOther)}),
          other as (
            select customer_id, 2 as turn from failed union all select customer_id, 3 from routine
            order by turn limit ${maxOther}),
          chosen as (
            select customer_id, 1 as turn from fresh union all select * from other order by turn limit ${max})
        update ${billingWork} as work
        set claim = gen_random_uuid(), claimed_until = ${CLAIM_END}
        from chosen where work.customer_id = chosen.customer_id
        returning work.customer_id as "customerId", work.claim, work.version::float8 as version, work.attempts,
          work.is_routine as "isRoutine"`),
    )
    return rowsOf<ClaimedWork>(claimed)
  }

  /** Holds a claim for longer. Does nothing when it has expired and another worker has the customer. */
  async renew(work: ClaimedWork): Promise<void> {
    const renewed = { claimedUntil: CLAIM_END }
    await this.database.run(db => db.update(billingWork).set(renewed).where(isHeldBy(work)))
  }

  /**
   * Marks the work done in the transaction of its effect, unless there is a new reason to sync or events are
   * left. Does nothing when the claim has expired and another worker has the customer.
   */
  async finish(transaction: Db, work: ClaimedWork): Promise<void> {
    const finished = await transaction
      .delete(billingWork)
      .where(and(isHeldBy(work), eq(billingWork.version, work.version), HAS_NO_EVENTS))
      .returning({ customerId: billingWork.customerId })
    if (finished.length === 0)
      await transaction
        .update(billingWork)
        .set({ ...RELEASED, attempts: 0, lastError: null })
        .where(isHeldBy(work))
  }

  /**
   * Schedules a retry, later each time, or gives up after {@link MAX_ATTEMPTS}; returns whether it gave up. A
   * reason to sync that has come since the claim is neither postponed nor given up. Does nothing when the claim
   * has expired and another worker has the customer.
   */
  async retry(work: ClaimedWork, reason: string): Promise<boolean> {
    const { attempts } = work
    const isLast = attempts + 1 >= MAX_ATTEMPTS
    const pauseSeconds = Math.min(2 ** attempts, MAX_PAUSE_SECONDS) * (0.75 + Math.random() / 2)
    const hasNoNewReason = eq(billingWork.version, work.version)
    const postponed = await this.database.run(db =>
      db
        .update(billingWork)
        .set({
          ...RELEASED,
          attempts: isLast
            ? sql`case when ${hasNoNewReason} then ${attempts + 1}::int else 0 end`
            : attempts + 1,
          dueAt: sql`case when ${hasNoNewReason} then clock_timestamp() + make_interval(secs => ${pauseSeconds})
            else ${billingWork.dueAt} end`,
          parkedAt: isLast ? sql`case when ${hasNoNewReason} then clock_timestamp() end` : null,
          lastError: reason.slice(0, 500),
        })
        .where(isHeldBy(work))
        .returning({ parkedAt: billingWork.parkedAt }),
    )
    return postponed.some(({ parkedAt }) => parkedAt !== null)
  }

  /** Releases a claim without a result, so that another worker can take the customer at once. */
  async release(work: ClaimedWork): Promise<void> {
    await this.database.run(db => db.update(billingWork).set(RELEASED).where(isHeldBy(work)))
  }

  /** Releases a claim whose result was outdated. It is due again in a second, so that nobody asks without a pause. */
  async repeat(transaction: Db, work: ClaimedWork): Promise<void> {
    const dueAt = sql`clock_timestamp() + interval '1 second'`
    await transaction
      .update(billingWork)
      .set({ ...RELEASED, dueAt })
      .where(isHeldBy(work))
  }
}

const HAS_NO_EVENTS = sql`not exists (
  select 1 from ${providerEvents}
  where ${providerEvents.customerId} = ${billingWork.customerId} and ${providerEvents.effect} is null)`

function isHeldBy({ customerId, claim }: ClaimedWork): SQL | undefined {
  return and(eq(billingWork.customerId, customerId), eq(billingWork.claim, claim))
}
