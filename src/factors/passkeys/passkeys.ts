import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { users } from '../../platform/database/schema/accounts.js'
import { passkeys } from '../../platform/database/schema/factors.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { Clock } from '../../platform/time.js'
import type { OwnedPasskey, Passkey } from './passkey.js'

/** More devices than anybody has. */
const MAX_PASSKEYS_PER_USER = 10

/** What an authenticator reports with each use. */
export type PasskeyState = Pick<Passkey, 'counter' | 'isBackedUp'>

/** The passkeys in the database. Lock the user before you change how many they have. */
@Injectable()
export class Passkeys {
  constructor(private readonly clock: Clock) {}

  /** Oldest first. */
  async listOf(db: Db, userId: string): Promise<Passkey[]> {
    return db
      .select()
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(asc(passkeys.createdAt), asc(passkeys.id))
  }

  /** With the account of its user. */
  async findByCredential(db: Db, credentialId: string): Promise<OwnedPasskey | null> {
    const [row] = await db
      .select({ passkey: passkeys, accountId: users.accountId })
      .from(passkeys)
      .innerJoin(users, eq(users.id, passkeys.userId))
      .where(eq(passkeys.credentialId, credentialId))
    return row ? { ...row.passkey, accountId: row.accountId } : null
  }

  /** Throws `TOO_MANY_PASSKEYS`, and `PASSKEY_EXISTS` when any user has this credential. */
  async add(transaction: Db, passkey: Omit<Passkey, 'id' | 'createdAt' | 'lastUsedAt'>): Promise<Passkey> {
    await this.requireRoom(transaction, passkey.userId)
    const [row] = await transaction
      .insert(passkeys)
      .values({
        ...passkey,
        transports: [...passkey.transports],
        id: randomUUID(),
        createdAt: this.clock.now(),
        lastUsedAt: null,
      })
      .onConflictDoNothing()
      .returning()
    if (!row) throw new ApiError('PASSKEY_EXISTS')
    return row
  }

  /** Throws `TOO_MANY_PASSKEYS` when the user can have no more. */
  async requireRoom(db: Db, userId: string): Promise<void> {
    if ((await this.countOf(db, userId)) >= MAX_PASSKEYS_PER_USER) throw new ApiError('TOO_MANY_PASSKEYS')
  }

  countOf(db: Db, userId: string): Promise<number> {
    return db.$count(passkeys, eq(passkeys.userId, userId))
  }

  /** Null when the user has no such passkey. */
  async rename(
    db: Db,
    { id, userId }: Pick<Passkey, 'id' | 'userId'>,
    name: string,
  ): Promise<Passkey | null> {
    const [row] = await db.update(passkeys).set({ name }).where(isOne({ id, userId })).returning()
    return row ?? null
  }

  /** Returns what was removed; null when the user has no such passkey. */
  async remove(transaction: Db, passkey: Pick<Passkey, 'id' | 'userId'>): Promise<Passkey | null> {
    const [row] = await transaction.delete(passkeys).where(isOne(passkey)).returning()
    return row ?? null
  }

  /**
   * Stores what the authenticator reported, and when. Returns what it reported before; null when the passkey has
   * been removed.
   */
  async markUsed(
    transaction: Db,
    { id }: Pick<Passkey, 'id'>,
    state: PasskeyState,
  ): Promise<PasskeyState | null> {
    const [before] = await transaction
      .select({ counter: passkeys.counter, isBackedUp: passkeys.isBackedUp })
      .from(passkeys)
      .where(eq(passkeys.id, id))
      .for('no key update')
    if (!before) return null
    // A counter that went back stays where it was: the next use of the original is right again.
    const counter = Math.max(before.counter, state.counter)
    await transaction
      .update(passkeys)
      .set({ isBackedUp: state.isBackedUp, counter, lastUsedAt: this.clock.now() })
      .where(eq(passkeys.id, id))
    return before
  }
}

function isOne({ id, userId }: Pick<Passkey, 'id' | 'userId'>) {
  return and(eq(passkeys.id, id), eq(passkeys.userId, userId))
}
