import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, eq } from 'drizzle-orm'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { users } from '../platform/database/schema/accounts.js'
import { passkeys } from '../platform/database/schema/factors.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Clock } from '../platform/time.js'

/** A WebAuthn credential of a user. */
export interface Passkey {
  readonly id: string
  readonly userId: string
  readonly rpId: string
  /** base64url, like the public key, which is a COSE key. */
  readonly credentialId: string
  readonly publicKey: string
  /** How often the authenticator says it has signed; 0 for one that does not count. */
  readonly counter: number
  /** How browsers reach the authenticator. */
  readonly transports: readonly string[]
  /** Whether it may be on several devices, and whether it is. */
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  /** The make of the authenticator. */
  readonly aaguid: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

export interface OwnedPasskey extends Passkey {
  readonly accountId: string
}

/** The user as authenticators know them: the 16 bytes of their id, as base64url. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
}

/** Where passkeys of one domain can be used. */
export interface PasskeyScope {
  /** The domain that they belong to. */
  readonly rpId: string
  /** What the browser must have signed as its origin, for a request from this one; null where passkeys do not work. */
  originOf(origin: string | null): string | null
}

/** Where users' passkeys work: on the main site, and on the operator's own brands that the settings list. */
@Injectable()
export class PasskeySites implements PasskeyScope {
  /** The domain that they belong to. */
  readonly rpId: string
  readonly relatedOrigins: readonly string[]
  private readonly mainOrigin: string

  constructor({ passkeyRpId, passkeyRelatedOrigins, mainOrigin }: Settings) {
    this.rpId = passkeyRpId
    this.relatedOrigins = passkeyRelatedOrigins
    this.mainOrigin = mainOrigin
  }

  /** Whether pages of this origin can use passkeys; false outside browsers. */
  worksAt(origin: string | null): boolean {
    return origin !== null && this.originOf(origin) !== null
  }

  /**
   * What the browser must have signed as its origin, for a request from this one; null where passkeys do not
   * work. Without an Origin it is the main site's: the server of another page could not pass a signature on
   * unnoticed.
   */
  originOf(origin: string | null): string | null {
    if (origin === null || origin === this.mainOrigin) return this.mainOrigin
    return this.relatedOrigins.includes(origin) ? origin : null
  }
}

/** More devices than people have. */
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
