import { Injectable } from '@nestjs/common'
import { and, eq, isNull, type SQLWrapper } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { accounts, users } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'
import type { Permissions } from '../permissions/permissions.js'
import type { Email } from './email.js'
import type { User } from './user.js'

/** The users in the database. Methods that change something take the transaction of the whole change. */
@Injectable()
export class Users {
  constructor(private readonly database: Database) {}

  async findByEmail(email: Email): Promise<User | null> {
    const [row] = await this.database.run(db => db.select().from(users).where(eq(users.email, email)))
    return (row as User | undefined) ?? null
  }

  /**
   * Selects one row while the user is still as we read it, and makes changes of it wait until the transaction ends;
   * a change that is under way is waited for first. For {@link AuditLog.recordIf}.
   */
  unchanged(db: Db, { id, passwordHash, granted }: User): SQLWrapper {
    const isAsRead = and(
      eq(users.id, id),
      isNull(users.disabledAt),
      passwordHash === null ? isNull(users.passwordHash) : eq(users.passwordHash, passwordHash),
      eq(users.granted, granted),
    )
    return db.select({ id: users.id }).from(users).where(isAsRead).for('no key update')
  }

  async addAccount(transaction: Db, id: string, createdAt: Date): Promise<void> {
    await transaction.insert(accounts).values({ id, createdAt })
  }

  /** Throws `EMAIL_TAKEN`, which rolls the transaction back. */
  async add(transaction: Db, user: User): Promise<void> {
    const added = await transaction
      .insert(users)
      .values(user)
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

  /** Does nothing when the password has been changed since `user` was read. */
  async replaceHash(transaction: Db, user: User, passwordHash: string): Promise<void> {
    await transaction
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash as string)))
  }
}
