import { isDeepStrictEqual } from 'node:util'
import { Injectable, Logger } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { accounts, users } from '../database/schema.js'
import { PERMISSIONS, type Permissions } from '../permissions/permissions.js'
import { Plans } from '../permissions/plans.js'
import { type RecordedChanges, SessionChanges } from '../sessions/session-changes.js'
import { isPaidFor, type SubscriptionState, stateOf } from './subscription-state.js'
import { type KnownSubscription, type SubscriptionView, viewOf } from './subscription-view.js'
import { Subscriptions } from './subscriptions.js'

/** What each account may do by what it pays for. */
@Injectable()
export class Entitlements {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly plans: Plans,
    private readonly subscriptions: Subscriptions,
    private readonly changes: SessionChanges,
    private readonly clock: Clock,
  ) {}

  /** What we know of a subscription, and what that means now. */
  view(known: KnownSubscription): SubscriptionView {
    return viewOf(known, this.stateOf(known), this.plans.of(known.plan)?.name ?? null)
  }

  /**
   * Works out what the account is entitled to now, and gives it to its users; what comes back is for {@link tell} once the
   * transaction is committed, null when nothing changed. Safe to repeat.
   */
  async bring(transaction: Db, accountId: string): Promise<RecordedChanges | null> {
    const [before] = await transaction
      .select({ entitled: accounts.entitled, by: accounts.entitledBy, until: accounts.entitledUntil })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .for('no key update')
    const { version } = this.plans
    if (!before || (version === null && before.by === null)) return null
    const known = await this.subscriptions.findIn(transaction, accountId)
    const state = this.stateOf(known)
    const entitled = isPaidFor(state)
      ? await this.paidFor(transaction, accountId, known)
      : this.plans.withoutPlan
    const until = state === 'past_due' && version ? new Date(known.graceUntil as string) : null
    if (isDeepStrictEqual(before, { entitled, by: version, until })) return null
    await transaction
      .update(accounts)
      .set({ entitled, entitledBy: version, entitledUntil: until })
      .where(eq(accounts.id, accountId))
    if (isDeepStrictEqual(before.entitled, entitled)) return null
    return this.give(transaction, accountId, entitled, { state, plan: known.plan })
  }

  /** Tells live sessions; they have it at their next refresh. Throws `SESSION_STORE_UNAVAILABLE`; it is not lost then. */
  async tell(recorded: RecordedChanges | null): Promise<void> {
    if (recorded) await this.changes.apply(recorded)
  }

  /**
   * What the plan allows. Who pays for a price that is in no plan (any more) keeps what the last plan allowed that we knew:
   * a line that is missing in a file must not take from people what they pay for.
   */
  private async paidFor(
    transaction: Db,
    accountId: string,
    { plan: price }: KnownSubscription,
  ): Promise<Permissions | null> {
    const plan = this.plans.of(price)
    if (this.plans.version === null) return null
    if (plan) {
      await this.subscriptions.setLastEntitled(transaction, accountId, plan.entitled)
      return plan.entitled
    }
    this.logger.error(
      `Account ${accountId} pays for ${price}, which is in no plan of PLANS_FILE: it keeps what it had`,
    )
    return (await this.subscriptions.row(transaction, accountId))?.lastEntitled ?? this.plans.withoutPlan
  }

  private stateOf(known: KnownSubscription): SubscriptionState {
    return stateOf(known, this.clock.now())
  }

  private async give(
    transaction: Db,
    accountId: string,
    entitled: Permissions | null,
    why: Readonly<Record<string, unknown>>,
  ): Promise<RecordedChanges> {
    const people = await transaction
      .select({ id: users.id, granted: users.granted })
      .from(users)
      .where(eq(users.accountId, accountId))
      .orderBy(users.id)
      .for('no key update')
    await transaction.update(users).set({ entitled }).where(eq(users.accountId, accountId))
    return this.changes.record(
      transaction,
      people.map(({ id: userId, granted }) => ({ kind: 'regrant', userId, granted })),
      {
        action: 'entitlements.change',
        outcome: 'ok',
        accountId,
        client: null,
        detail: { ...why, entitled: entitled && PERMISSIONS.filter(name => entitled[name]) },
      },
    )
  }
}
