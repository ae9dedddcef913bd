import { Injectable } from '@nestjs/common'
import { asc, eq, inArray, lte } from 'drizzle-orm'
import { type Actor, auditEventOf, SERVICE, type TargetUser } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { factorResets } from '../platform/database/schema/factors.js'
import { OneTimeTokens, withdrawTokens } from '../platform/one-time-tokens.js'
import { Clock, secondsAfter } from '../platform/time.js'

/** A reset that has been requested but not carried out yet. */
export type FactorReset = typeof factorResets.$inferSelect

type MailedUser = TargetUser & { readonly email: string }

/** How long the user has to stop it. */
const WAIT_SECONDS = 24 * 60 * 60
/** A reset waits longer while the user can go back to an earlier address. The link is removed with its reset. */
const LINK_SECONDS = WAIT_SECONDS + 30 * 24 * 60 * 60

/** Requested resets of users' factors, at most one for each. Lock the user before you change one. */
@Injectable()
export class FactorResets {
  constructor(
    private readonly database: Database,
    private readonly tokens: OneTimeTokens,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  async find(db: Db, userId: string): Promise<FactorReset | null> {
    const [row] = await db.select().from(factorResets).where(eq(factorResets.userId, userId))
    return row ?? null
  }

  /** Locked until the transaction ends. Every caller takes it before its links, so take it before you use one up. */
  async lock(transaction: Db, userId: string): Promise<void> {
    await transaction
      .select({ userId: factorResets.userId })
      .from(factorResets)
      .where(eq(factorResets.userId, userId))
      .for('update')
  }

  /** When the pending resets of these users happen, by user. */
  async timesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (userIds.length === 0) return new Map()
    const rows = await this.database.run(db =>
      db
        .select()
        .from(factorResets)
        .where(inArray(factorResets.userId, [...userIds])),
    )
    return new Map(rows.map(({ userId, resetAt }) => [userId, resetAt]))
  }

  /** The users whose resets are due, earliest first. */
  listDue(): Promise<TargetUser[]> {
    const { id, accountId } = users
    return this.database.run(db =>
      db
        .select({ id, accountId })
        .from(factorResets)
        .innerJoin(users, eq(id, factorResets.userId))
        .where(lte(factorResets.resetAt, this.clock.now()))
        .orderBy(asc(factorResets.resetAt)),
    )
  }

  /**
   * A new one, for a user who has none, and the token of the link by which they confirm or stop it. An actor without
   * a user is an operator.
   */
  async open(
    transaction: Db,
    user: MailedUser,
    actor: Actor,
  ): Promise<{ readonly reset: FactorReset; readonly token: string }> {
    const { id: userId } = user
    const requestedAt = this.clock.now()
    const resetAt = secondsAfter(requestedAt, WAIT_SECONDS)
    const reset = { userId, requestedBy: actor.userId ?? null, requestedAt, resetAt }
    await transaction.insert(factorResets).values(reset)
    return { reset, token: await this.recordRequest(transaction, user, actor, reset) }
  }

  /** The token of a new link to the user's pending reset, in place of earlier ones. */
  async renewLink(transaction: Db, user: MailedUser, actor: Actor, pending: FactorReset): Promise<string> {
    await withdrawTokens(transaction, 'factor-reset', user.id)
    return this.recordRequest(transaction, user, actor, pending)
  }

  /**
   * Stops the user's pending reset, by whomever it was requested; false when there is none. The links to it stop
   * working.
   */
  async cancel(transaction: Db, user: TargetUser, actor: Actor, reason: string): Promise<boolean> {
    return (await this.cancelAll(transaction, [user], actor, reason)) > 0
  }

  /** {@link cancel} for many; returns how many there were. */
  async cancelAll(
    transaction: Db,
    targets: readonly TargetUser[],
    actor: Actor,
    reason: string,
  ): Promise<number> {
    if (targets.length === 0) return 0
    const ids = targets.map(({ id }) => id)
    const rows = await transaction
      .delete(factorResets)
      .where(inArray(factorResets.userId, ids))
      .returning({ userId: factorResets.userId })
    await withdrawTokens(transaction, ['factor-reset'], ids)
    const cancelled = new Set(rows.map(({ userId }) => userId))
    const events = targets
      .filter(({ id }) => cancelled.has(id))
      .map(target => auditEventOf(target, actor, 'factors.reset', { step: 'stopped', reason }))
    await this.auditLog.recordAll(transaction, events)
    return events.length
  }

  /**
   * For a user, who must be locked, who has logged in with an authenticator app or a passkey: they have not lost
   * them, so the person who asked an operator may be an attacker. What a manager has requested stays:
   * managers know their people.
   */
  async cancelByUse(transaction: Db, user: TargetUser, actor: Actor): Promise<void> {
    const pending = await this.find(transaction, user.id)
    if (pending?.requestedBy === null) await this.cancel(transaction, user, actor, 'logged in with a factor')
  }

  /** The user stops it; recorded also when there is none any more. */
  async stop(transaction: Db, user: TargetUser, actor: Actor): Promise<void> {
    if (await this.cancel(transaction, user, actor, 'stopped by the user')) return
    const event = auditEventOf(user, actor, 'factors.reset', { step: 'stopped' })
    await this.auditLog.record(transaction, event)
  }

  /** Stops all that these users have requested: it may have been an attacker with their login. */
  async cancelRequestedBy(transaction: Db, userIds: readonly string[], reason: string): Promise<void> {
    const { id, accountId } = users
    const theirs = await transaction
      .select({ id, accountId })
      .from(factorResets)
      .innerJoin(users, eq(users.id, factorResets.userId))
      .where(inArray(factorResets.requestedBy, [...userIds]))
    await this.cancelAll(transaction, theirs, SERVICE, reason)
  }

  /** Records that the reset was asked for; returns the token of the link in the mail about that. */
  private async recordRequest(
    transaction: Db,
    user: MailedUser,
    actor: Actor,
    { resetAt }: FactorReset,
  ): Promise<string> {
    const event = auditEventOf(user, actor, 'factors.reset', { step: 'asked', resetAt })
    await this.auditLog.record(transaction, event)
    const { id: userId, accountId, email } = user
    const link = { purpose: 'factor-reset', email, userId, accountId, lifetimeSeconds: LINK_SECONDS } as const
    return this.tokens.issue(transaction, link)
  }
}
