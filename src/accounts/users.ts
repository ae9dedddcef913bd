import { Injectable } from '@nestjs/common'
import { and, eq, isNull } from 'drizzle-orm'
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

  /** The user as last committed; changes of it wait until this transaction ends. */
  async lock(transaction: Db, id: string): Promise<User | null> {
    const [row] = await transaction.select().from(users).where(eq(users.id, id)).for('no key update')
    return (row as User | undefined) ?? null
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

  async replaceHash(transaction: Db, id: string, passwordHash: string): Promise<void> {
    await transaction.update(users).set({ passwordHash }).where(eq(users.id, id))
  }
}
