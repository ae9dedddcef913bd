import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { accounts } from '../database/schema.js'
import { noteAccountName } from '../users/customer-details.js'

/** An account: what pays, and what users belong to. */
export type Account = typeof accounts.$inferSelect

/** The accounts in the database. */
@Injectable()
export class Accounts {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<Account | null> {
    const [row] = await this.database.run(db => db.select().from(accounts).where(eq(accounts.id, id)))
    return row ?? null
  }

  /** As last committed, and locked until this transaction ends. Lock it before its users. */
  async lock(transaction: Db, id: string): Promise<Account | null> {
    const [row] = await transaction.select().from(accounts).where(eq(accounts.id, id)).for('update')
    return row ?? null
  }

  async setName(transaction: Db, id: string, name: string): Promise<Account | null> {
    const [row] = await transaction.update(accounts).set({ name }).where(eq(accounts.id, id)).returning()
    await noteAccountName(transaction, id)
    return row ?? null
  }

  /** Null: the account is kept. */
  async setDeleteAt(transaction: Db, id: string, deleteAt: Date | null): Promise<void> {
    await transaction.update(accounts).set({ deleteAt }).where(eq(accounts.id, id))
  }

  /** Call it when nothing refers to the account any longer. */
  async remove(transaction: Db, id: string): Promise<void> {
    await transaction.delete(accounts).where(eq(accounts.id, id))
  }
}
