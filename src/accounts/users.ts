import { Injectable } from '@nestjs/common'
import { and, eq, inArray, isNull, type SQLWrapper } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { accounts, users } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'
import type { Permissions } from '../permissions/permissions.js'
import type { Email } from './email.js'
import type { Role, User } from './user.js'

/** The users in the database. Methods that change something take the transaction of the whole change. */
@Injectable()
export class Users {
  constructor(private readonly database: Database) {}

  async findByEmail(email: Email): Promise<User | null> {
    const [row] = await this.database.run(db => db.select().from(users).where(eq(users.email, email)))
    return (row as User | undefined) ?? null
  }

  async find(id: string): Promise<User | null> {
    const [row] = await this.database.run(db => db.select().from(users).where(eq(users.id, id)))
    return (row as User | undefined) ?? null
  }

  /** The user in this account, or null: another account's users are not to be told from nobody. */
  async findInAccount(id: string, accountId: string): Promise<User | null> {
    const user = await this.find(id)
    return user?.accountId === accountId ? user : null
  }

  /** Everybody in the account, the oldest first. */
  async listByAccount(accountId: string): Promise<User[]> {
    const rows = await this.database.run(db =>
      db.select().from(users).where(eq(users.accountId, accountId)).orderBy(users.createdAt, users.id),
    )
    return rows as User[]
  }

  /** The user as last committed; changes of it wait until this transaction ends. Null when there is none any more. */
  async lock(transaction: Db, id: string): Promise<User | null> {
    const [row] = await transaction.select().from(users).where(eq(users.id, id)).for('no key update')
    return (row as User | undefined) ?? null
  }

  /** Users as last committed, by id; locked in one order whoever asks, or two who change each other would wait in a circle. */
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
   * Selects one row while the user is still as we read it, and makes changes of it wait until the transaction ends;
   * a change that is under way is waited for first. For {@link AuditLog.recordIf}.
   */
  unchanged(db: Db, { id, passwordHash, granted, satellites }: User): SQLWrapper {
    const isAsRead = and(
      eq(users.id, id),
      isNull(users.disabledAt),
      passwordHash === null ? isNull(users.passwordHash) : eq(users.passwordHash, passwordHash),
      eq(users.granted, granted),
      satellites === null ? isNull(users.satellites) : eq(users.satellites, [...satellites]),
    )
    return db.select({ id: users.id }).from(users).where(isAsRead).for('no key update')
  }

  /** The account as last committed, held until the transaction ends; null when it is gone. Before users and links, for whoever locks both. */
  async lockAccount(transaction: Db, id: string): Promise<{ readonly name: string | null } | null> {
    const [row] = await transaction
      .select({ name: accounts.name })
      .from(accounts)
      .where(eq(accounts.id, id))
      .for('no key update')
    return row ?? null
  }

  async addAccount(transaction: Db, id: string, createdAt: Date): Promise<void> {
    await transaction.insert(accounts).values({ id, createdAt })
  }

  /** Throws `EMAIL_TAKEN`, which rolls the transaction back. */
  async add(transaction: Db, user: User): Promise<void> {
    const added = await transaction
      .insert(users)
      .values({ ...user, satellites: user.satellites && [...user.satellites] })
      .onConflictDoNothing()
      .returning({ id: users.id })
    if (added.length === 0) throw new ApiError('EMAIL_TAKEN')
  }

  async setGranted(transaction: Db, id: string, granted: Permissions): Promise<void> {
    await transaction.update(users).set({ granted }).where(eq(users.id, id))
  }

  async disable(transaction: Db, id: string, at: Date): Promise<void> {
    await transaction
      .update(users)
      .set({ disabledAt: at })
      .where(and(eq(users.id, id), isNull(users.disabledAt)))
  }

  async enable(transaction: Db, id: string): Promise<void> {
    await transaction.update(users).set({ disabledAt: null }).where(eq(users.id, id))
  }

  async setSatellites(transaction: Db, id: string, satellites: readonly string[] | null): Promise<void> {
    await transaction
      .update(users)
      .set({ satellites: satellites && [...satellites] })
      .where(eq(users.id, id))
  }

  async setName(transaction: Db, id: string, name: string | null): Promise<void> {
    await transaction.update(users).set({ name }).where(eq(users.id, id))
  }

  async setRole(transaction: Db, id: string, role: Role): Promise<void> {
    await transaction.update(users).set({ role }).where(eq(users.id, id))
  }

  /** Throws `EMAIL_TAKEN`, which rolls the transaction back. */
  async setEmail(transaction: Db, id: string, email: Email): Promise<void> {
    const [other] = await transaction.select({ id: users.id }).from(users).where(eq(users.email, email))
    if (other && other.id !== id) throw new ApiError('EMAIL_TAKEN')
    try {
      await transaction.update(users).set({ email }).where(eq(users.id, id))
    } catch (error) {
      // Somebody was quicker, after we had looked.
      throw isUniqueViolation(error) ? new ApiError('EMAIL_TAKEN', { cause: error }) : error
    }
  }

  /** Sets a new password; null takes it away. */
  async setPassword(transaction: Db, id: string, passwordHash: string | null): Promise<void> {
    await transaction.update(users).set({ passwordHash }).where(eq(users.id, id))
  }

  /** The user is gone; what they did stays in the audit log. */
  async remove(transaction: Db, id: string): Promise<void> {
    await transaction.delete(users).where(eq(users.id, id))
  }

  /** Does nothing when the password has been changed since `user` was read. */
  async replaceHash(transaction: Db, user: User, passwordHash: string): Promise<void> {
    await transaction
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash as string)))
  }
}

/** SQLSTATE 23505, which Drizzle wraps. */
function isUniqueViolation(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === '23505'
}
