import { Injectable } from '@nestjs/common'
import { and, eq, gt, inArray, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { accounts, users } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'
import type { Permissions } from '../permissions/permissions.js'
import { PlansFile } from '../permissions/plans-file.js'
import { noteOwner } from './customer-details.js'
import type { Email } from './email.js'
import { requireNotReserved } from './recovery/reserved-address.js'
import { noteSeatsOf } from './seats.js'
import type { NewUser, Role, User } from './user.js'

/** What the users of an account are ordered by. It stays valid when they are removed. */
export type UserCursor = Pick<User, 'createdAt' | 'id'>

/** The users in the database. Methods that change something take the transaction of the whole change. */
@Injectable()
export class Users {
  constructor(
    private readonly database: Database,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
  ) {}

  async findByEmail(email: Email): Promise<User | null> {
    const [row] = await this.database.run(db => db.select().from(users).where(eq(users.email, email)))
    return (row as User | undefined) ?? null
  }

  async find(id: string): Promise<User | null> {
    const [row] = await this.database.run(db => db.select().from(users).where(eq(users.id, id)))
    return (row as User | undefined) ?? null
  }

  /**
   * The user in this account, or null. A user of another account is answered like one that does not exist.
   */
  async findInAccount(id: string, accountId: string): Promise<User | null> {
    const user = await this.find(id)
    return user?.accountId === accountId ? user : null
  }

  /** The first `count` users of the account after this place, oldest first; null starts at the beginning. */
  async listByAccount(accountId: string, after: UserCursor | null, count: number): Promise<User[]> {
    return this.page(eq(users.accountId, accountId), after, count)
  }

  /**
   * Like {@link listByAccount}, but only users with `accountSettings` who can log in; the owner is one of
   * them.
   */
  async listInCharge(accountId: string, after: UserCursor | null, count: number): Promise<User[]> {
    const isInCharge = sql`(${users.granted} ->> 'accountSettings')::boolean`
    return this.page(and(eq(users.accountId, accountId), isInCharge, isNull(users.disabledAt)), after, count)
  }

  /** The user as last committed, locked until this transaction ends; null when they no longer exist. */
  async lock(transaction: Db, id: string): Promise<User | null> {
    const [row] = await transaction.select().from(users).where(eq(users.id, id)).for('no key update')
    return (row as User | undefined) ?? null
  }

  /**
   * Users as last committed, by id; locked in one order whoever asks, so that two who change each other
   * cannot deadlock.
   */
  async lockAll(transaction: Db, ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    const rows = await transaction
      .select()
      .from(users)
      .where(inArray(users.id, [...ids]))
      .orderBy(users.id)
      .for('no key update')
    return new Map(rows.map(row => [row.id, row as User]))
  }

  /**
   * Selects one row as long as the user is still as we read it, and locks the user until the transaction
   * ends, after any change in progress. For {@link AuditLog.recordIf}.
   */
  unchanged(db: Db, { id, passwordHash, granted, entitled, satellites }: User): SQLWrapper {
    const isAsRead = and(
      eq(users.id, id),
      isNull(users.disabledAt),
      passwordHash === null ? isNull(users.passwordHash) : eq(users.passwordHash, passwordHash),
      eq(users.granted, granted),
      entitled === null ? isNull(users.entitled) : eq(users.entitled, entitled),
      satellites === null ? isNull(users.satellites) : eq(users.satellites, [...satellites]),
    )
    return db.select({ id: users.id }).from(users).where(isAsRead).for('no key update')
  }

  /**
   * The account as last committed, locked until the transaction ends; null when it is gone. Lock it before
   * its users and links.
   */
  async lockAccount(transaction: Db, id: string): Promise<{ readonly name: string | null } | null> {
    const [row] = await transaction
      .select({ name: accounts.name })
      .from(accounts)
      .where(eq(accounts.id, id))
      .for('no key update')
    return row ?? null
  }

  async addAccount(transaction: Db, id: string, createdAt: Date): Promise<void> {
    const { withoutPlan: entitled, version: entitledBy } = this.plans
    await transaction.insert(accounts).values({ id, createdAt, entitled, entitledBy })
  }

  /**
   * Returns the user with the entitlements of the account. Throws `EMAIL_TAKEN`, which rolls the transaction
   * back.
   */
  async add(transaction: Db, user: NewUser): Promise<User> {
    // Until this user exists, a change of the account's entitlements would miss them.
    const [account] = await transaction
      .select({ entitled: accounts.entitled })
      .from(accounts)
      .where(eq(accounts.id, user.accountId))
      .for('share')
    const entitled = account?.entitled ?? null
    await requireNotReserved(transaction, user, this.clock.now())
    const added = await transaction
      .insert(users)
      .values({
        ...user,
        entitled,
        satellites: user.satellites && [...user.satellites],
      })
      .onConflictDoNothing()
      .returning({ id: users.id })
    if (added.length === 0) throw new ApiError('EMAIL_TAKEN')
    await this.noteSeats(transaction, user.id)
    return { ...user, entitled }
  }

  async setGranted(transaction: Db, id: string, granted: Permissions): Promise<void> {
    await transaction.update(users).set({ granted }).where(eq(users.id, id))
  }

  async disable(transaction: Db, id: string): Promise<void> {
    await transaction
      .update(users)
      .set({ disabledAt: this.clock.now() })
      .where(and(eq(users.id, id), isNull(users.disabledAt)))
    await this.noteSeats(transaction, id)
  }

  async enable(transaction: Db, id: string): Promise<void> {
    await transaction.update(users).set({ disabledAt: null }).where(eq(users.id, id))
    await this.noteSeats(transaction, id)
  }

  async setSatellites(transaction: Db, id: string, satellites: readonly string[] | null): Promise<void> {
    await transaction
      .update(users)
      .set({ satellites: satellites && [...satellites] })
      .where(eq(users.id, id))
  }

  async setName(transaction: Db, id: string, name: string | null): Promise<void> {
    await transaction.update(users).set({ name }).where(eq(users.id, id))
    await noteOwner(transaction, id)
  }

  async setRole(transaction: Db, id: string, role: Role): Promise<void> {
    await transaction.update(users).set({ role }).where(eq(users.id, id))
    await noteOwner(transaction, id)
  }

  /** Throws `EMAIL_TAKEN`, which rolls the transaction back. */
  async setEmail(transaction: Db, id: string, email: Email): Promise<void> {
    const [other] = await transaction.select({ id: users.id }).from(users).where(eq(users.email, email))
    if (other && other.id !== id) throw new ApiError('EMAIL_TAKEN')
    await requireNotReserved(transaction, { id, email }, this.clock.now())
    try {
      await transaction.update(users).set({ email }).where(eq(users.id, id))
    } catch (error) {
      // Another request took the address after we checked.
      throw isUniqueViolation(error) ? new ApiError('EMAIL_TAKEN', { cause: error }) : error
    }
    await noteOwner(transaction, id)
  }

  /** Sets a new password; null removes it. */
  async setPassword(transaction: Db, id: string, passwordHash: string | null): Promise<void> {
    await transaction.update(users).set({ passwordHash }).where(eq(users.id, id))
  }

  /** The user is gone; what they did stays in the audit log. */
  async remove(transaction: Db, id: string): Promise<void> {
    await this.noteSeats(transaction, id)
    await transaction.delete(users).where(eq(users.id, id))
  }

  /** Returns false when the password has changed since `user` was read. */
  async replaceHash(db: Db, user: User, passwordHash: string): Promise<boolean> {
    const replaced = await db
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash as string)))
      .returning({ id: users.id })
    return replaced.length > 0
  }

  private async noteSeats(transaction: Db, id: string): Promise<void> {
    if (this.plans.haveSeats) await noteSeatsOf(transaction, [id])
  }

  private async page(which: SQL | undefined, after: UserCursor | null, count: number): Promise<User[]> {
    const rows = await this.database.run(db =>
      db
        .select()
        .from(users)
        .where(and(which, after ? isYounger(after) : undefined))
        .orderBy(users.createdAt, users.id)
        .limit(count),
    )
    return rows as User[]
  }
}

function isYounger({ createdAt, id }: UserCursor): SQL | undefined {
  return or(gt(users.createdAt, createdAt), and(eq(users.createdAt, createdAt), gt(users.id, id)))
}

/** SQLSTATE 23505, which Drizzle wraps. */
function isUniqueViolation(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === '23505'
}
