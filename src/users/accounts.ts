import { Injectable } from '@nestjs/common'
import { and, asc, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import type { Actor } from '../platform/audit/audit-event.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, ownershipTransfers, users } from '../platform/database/schema/accounts.js'
import { oneTimeTokens } from '../platform/database/schema/platform.js'
import { type PlanLimits, PlansFile, requireWithinPlan } from '../platform/plans.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { queueNameSync } from './queue-customer-sync.js'

/** An account: the paying party, to which users belong. */
export type Account = typeof accounts.$inferSelect

/** A user who changes their own account. */
type AccountActor = Actor & Pick<Required<Actor>, 'accountId'>

/** The accounts in the database. Methods that change something take the transaction of the entire change. */
@Injectable()
export class Accounts {
  constructor(
    private readonly database: Database,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
  ) {}

  async find(id: string): Promise<Account | null> {
    const [row] = await this.database.run(db => db.select().from(accounts).where(eq(accounts.id, id)))
    return row ?? null
  }

  /**
   * The account as last committed, locked until the transaction ends; null when it is gone. Lock it before
   * its users and links.
   */
  lock(transaction: Db, id: string): Promise<Account | null> {
    return this.lockWith(transaction, id, 'no key update')
  }

  /** Like {@link lock}; also blocks new references to the account. */
  lockExclusively(transaction: Db, id: string): Promise<Account | null> {
    return this.lockWith(transaction, id, 'update')
  }

  async add(transaction: Db, id: string, createdAt: Date): Promise<void> {
    const { withoutPlan: entitled, version: entitledBy } = this.plans
    const limits = this.plans.limitsOf(null)
    await transaction.insert(accounts).values({ id, createdAt, entitled, entitledBy, limits })
  }

  /** Changes what is given, which must be something. */
  async change(
    transaction: Db,
    id: string,
    {
      name,
      handoffRequired,
      idleSeconds,
    }: Partial<Pick<Account, 'name' | 'handoffRequired' | 'idleSeconds'>>,
  ): Promise<void> {
    await transaction.update(accounts).set({ name, handoffRequired, idleSeconds }).where(eq(accounts.id, id))
    if (name !== undefined) await queueNameSync(transaction, id)
  }

  /** Sets the date of the account's deletion, which is `earliest` or later, and returns it. */
  async scheduleDeletion(transaction: Db, actor: AccountActor, earliest: Date | null): Promise<Date> {
    const afterGrace = secondsAfter(this.clock.now(), this.settings.deletionGraceSeconds)
    const deleteAt = earliest && earliest > afterGrace ? earliest : afterGrace
    await transaction.update(accounts).set({ deleteAt }).where(eq(accounts.id, actor.accountId))
    const event = auditEvent(actor, 'account.delete', { step: 'asked', deleteAt })
    await this.auditLog.record(transaction, event)
    return deleteAt
  }

  /** False when no deletion was pending. */
  async cancelDeletion(transaction: Db, actor: AccountActor, detail?: object): Promise<boolean> {
    const kept = await transaction
      .update(accounts)
      .set({ deleteAt: null })
      .where(and(eq(accounts.id, actor.accountId), isNotNull(accounts.deleteAt)))
      .returning({ id: accounts.id })
    if (kept.length === 0) return false
    await this.auditLog.record(transaction, auditEvent(actor, 'account.delete.cancel', { ...detail }))
    return true
  }

  /** The ids of the accounts that are due for deletion, earliest first. */
  async listDue(): Promise<string[]> {
    const rows = await this.database.run(db =>
      db
        .select({ id: accounts.id })
        .from(accounts)
        .where(lte(accounts.deleteAt, this.clock.now()))
        .orderBy(asc(accounts.deleteAt)),
    )
    return rows.map(({ id }) => id)
  }

  isDue({ deleteAt }: Account): boolean {
    return deleteAt !== null && deleteAt <= this.clock.now()
  }

  /** Deletes the account, which must have no users left, along with its links and any pending transfer. */
  async remove(transaction: Db, accountId: string): Promise<void> {
    await transaction.delete(ownershipTransfers).where(eq(ownershipTransfers.accountId, accountId))
    await transaction.delete(oneTimeTokens).where(eq(oneTimeTokens.accountId, accountId))
    const event = auditEvent({ accountId, client: null }, 'account.delete', { step: 'done' })
    await this.auditLog.record(transaction, event)
    await transaction.delete(accounts).where(eq(accounts.id, accountId))
  }

  private async lockWith(
    transaction: Db,
    id: string,
    strength: 'no key update' | 'update',
  ): Promise<Account | null> {
    const [row] = await transaction.select().from(accounts).where(eq(accounts.id, id)).for(strength)
    return row ?? null
  }
}

/** Whether the account is going to be deleted. */
export async function isClosing(db: Db, accountId: string): Promise<boolean> {
  return (await db.$count(accounts, and(eq(accounts.id, accountId), isNotNull(accounts.deleteAt)))) > 0
}

/** What the plan of an account allows; null means any number, and that there is no such account. */
export async function planLimitsOf(transaction: Db, accountId: string): Promise<PlanLimits | null> {
  const [account] = await transaction
    .select({ limits: accounts.limits })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return account?.limits ?? null
}

/**
 * Throws `PLAN_LIMIT_REACHED` (409) when the account, which must be locked, has as many active users as its plan allows,
 * counting `invited` people as if they had joined.
 */
export async function requireSeat(transaction: Db, accountId: string, invited = 0): Promise<void> {
  const limits = await planLimitsOf(transaction, accountId)
  if (limits === null || limits.seats === null) return
  const isActive = and(eq(users.accountId, accountId), isNull(users.disabledAt))
  const active = await transaction.$count(users, isActive)
  requireWithinPlan(
    limits,
    'seats',
    active + invited,
    most => `The plan of this account allows ${most} people, open invitations included`,
  )
}
