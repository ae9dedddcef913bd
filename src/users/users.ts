import { Injectable } from '@nestjs/common'
import { and, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { TargetUser } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { rememberedDevices } from '../platform/database/schema/factors.js'
import { sessionLinks } from '../platform/database/schema/sessions.js'
import { containsIgnoringCase } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Permissions } from '../platform/permissions.js'
import { PlansFile } from '../platform/plans.js'
import { Clock } from '../platform/time.js'
import { Accounts } from './accounts.js'
import type { Email } from './email.js'
import { requireUnreserved } from './email-addresses.js'
import { queueOwnerSync, queueSeatSync } from './queue-customer-sync.js'
import type { DisabledBy, EntitledUser, NewUser, Role, User } from './user.js'

/** A position among an account's users by age. It stays valid when they are removed. */
export type UserCursor = Pick<User, 'createdAt' | 'id'>

/** The fields that decide what a login may do. */
const DECISIVE = [
  'passwordHash',
  'granted',
  'satellites',
  'hasSecondFactor',
  'mustEnrol',
] as const satisfies readonly (keyof User)[]

/** The account's, in a query about `users`. */
const ofAccount = <T>(column: string) =>
  sql<T>`(select accounts.${sql.identifier(column)} from accounts where accounts.id = users.account_id)`
const ENTITLED = ofAccount<Permissions | null>('entitled')
const ENTITLED_USER = {
  ...getTableColumns(users),
  entitled: ENTITLED,
  accountIdleSeconds: ofAccount<number | null>('idle_seconds'),
}

/** The users in the database. Methods that change something take the transaction of the entire change. */
@Injectable()
export class Users {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
  ) {}

  findByEmail(email: Email): Promise<EntitledUser | null> {
    return this.findWhere(eq(users.email, email))
  }

  find(id: string): Promise<EntitledUser | null> {
    return this.findWhere(eq(users.id, id))
  }

  private async findWhere(which: SQL): Promise<EntitledUser | null> {
    const [row] = await this.database.run(db => db.select(ENTITLED_USER).from(users).where(which))
    return (row as EntitledUser | undefined) ?? null
  }

  /** The user in this account; null also for users of other accounts. */
  async findInAccount(id: string, accountId: string): Promise<EntitledUser | null> {
    const user = await this.find(id)
    return user?.accountId === accountId ? user : null
  }

  /** The first `count` users of the account after this position, oldest first; null starts at the beginning. */
  listByAccount(accountId: string, after: UserCursor | null, count: number): Promise<User[]> {
    const { createdAt, id } = users
    return this.database.run(db =>
      db.select().from(users).where(isAfter(accountId, after)).orderBy(createdAt, id).limit(count),
    ) as Promise<User[]>
  }

  /** The user as last committed, locked until this transaction ends; null when they no longer exist. */
  async lock(transaction: Db, id: string): Promise<EntitledUser | null> {
    const [row] = await transaction
      .select(ENTITLED_USER)
      .from(users)
      .where(eq(users.id, id))
      .for('no key update')
    return (row as EntitledUser | undefined) ?? null
  }

  /**
   * Locks the user like {@link lock}, after waiting for any change in progress; false when they are no longer
   * enabled, or not as we read them in a field that decides what a login may do. With `isLogin`, notes that they are
   * logging in now, in the same statement.
   */
  async lockUnchanged(transaction: Db, user: EntitledUser, { isLogin = false } = {}): Promise<boolean> {
    const isEntitledAlike = sql`${ENTITLED} is not distinct from ${sql.param(user.entitled, accounts.entitled)}`
    const areSame = DECISIVE.map(
      name => sql`${users[name]} is not distinct from ${sql.param(user[name], users[name])}`,
    )
    const isUnchanged = and(eq(users.id, user.id), isNull(users.disabledAt), ...areSame, isEntitledAlike)
    const { id } = users
    const rows = isLogin
      ? await transaction
          .update(users)
          .set({ lastLoginAt: this.clock.now() })
          .where(isUnchanged)
          .returning({ id })
      : await transaction.select({ id }).from(users).where(isUnchanged).for('no key update')
    return rows.length > 0
  }

  /** Both as last committed, locked until this transaction ends, the account first; null for what is gone. */
  async lockWithAccount(transaction: Db, { id, accountId }: TargetUser) {
    const account = await this.accounts.lock(transaction, accountId)
    return { account, user: await this.lock(transaction, id) }
  }

  /** Users by id; always locked in the same order, so that two users who change each other cannot deadlock. */
  async lockAll(transaction: Db, ids: readonly string[]): Promise<ReadonlyMap<string, EntitledUser>> {
    const rows = await transaction
      .select(ENTITLED_USER)
      .from(users)
      .where(inArray(users.id, [...ids]))
      .orderBy(users.id)
      .for('no key update')
    return new Map(rows.map(row => [row.id, row as EntitledUser]))
  }

  /** Adds an account with its owner. Throws like {@link add}. */
  async addOwner(transaction: Db, owner: NewUser): Promise<EntitledUser> {
    const createdAt = this.clock.now()
    await this.accounts.add(transaction, owner.accountId, createdAt)
    return this.add(transaction, owner, createdAt)
  }

  /** Throws `EMAIL_TAKEN`, which rolls the transaction back. */
  async add(transaction: Db, user: NewUser, createdAt = this.clock.now()): Promise<EntitledUser> {
    // Locked until this user exists; otherwise a change of the account's requirements would miss them.
    await transaction
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.id, user.accountId))
      .for('share')
    const added = { ...user, disabledAt: null, disabledBy: null, createdAt }
    const rows = await transaction
      .insert(users)
      .values({ ...added, satellites: user.satellites && [...user.satellites] })
      .onConflictDoNothing()
      .returning(ENTITLED_USER)
    if (rows.length === 0) throw new ApiError('EMAIL_TAKEN')
    // Not before: the insert waits for whoever is giving this address up.
    await requireUnreserved(transaction, user, this.clock.now())
    await this.queueSeatSync(transaction, [user.id])
    return rows[0] as EntitledUser
  }

  async setGranted(transaction: Db, id: string, granted: Permissions): Promise<void> {
    await transaction.update(users).set({ granted }).where(eq(users.id, id))
  }

  /** An operator also takes over what the account has disabled; never the other way round. */
  async disable(transaction: Db, ids: readonly string[], disabledBy: DisabledBy): Promise<void> {
    const areThese = inArray(users.id, [...ids])
    const areEnabled = and(areThese, isNull(users.disabledAt))
    await transaction.update(users).set({ disabledAt: this.clock.now(), disabledBy }).where(areEnabled)
    if (disabledBy === 'operator') await transaction.update(users).set({ disabledBy }).where(areThese)
    await this.queueSeatSync(transaction, ids)
  }

  async enable(transaction: Db, id: string): Promise<void> {
    await transaction.update(users).set({ disabledAt: null, disabledBy: null }).where(eq(users.id, id))
    await this.queueSeatSync(transaction, [id])
  }

  async setSatellites(transaction: Db, id: string, satellites: readonly string[] | null): Promise<void> {
    const list = satellites && [...satellites]
    await transaction.update(users).set({ satellites: list }).where(eq(users.id, id))
  }

  async setName(transaction: Db, id: string, name: string | null): Promise<void> {
    await transaction.update(users).set({ name }).where(eq(users.id, id))
    await queueOwnerSync(transaction, id)
  }

  /** Does not replace a language that the user already has. */
  async setLanguageIfUnknown(id: string, language: string): Promise<void> {
    const isUnknown = and(eq(users.id, id), isNull(users.language))
    await this.database.run(db => db.update(users).set({ language }).where(isUnknown))
  }

  /** Null if it is no longer known: the next login with a browser that states one reveals it. */
  async setLanguage(transaction: Db, id: string, language: string | null): Promise<void> {
    await transaction.update(users).set({ language }).where(eq(users.id, id))
  }

  async setRole(transaction: Db, id: string, role: Role): Promise<void> {
    await transaction.update(users).set({ role }).where(eq(users.id, id))
    await queueOwnerSync(transaction, id)
  }

  /** Sets a new password; null removes it. */
  async setPassword(transaction: Db, id: string, passwordHash: string | null): Promise<void> {
    await transaction.update(users).set({ passwordHash }).where(eq(users.id, id))
    // Somebody who knew the old one may have used one of these devices.
    await transaction.delete(rememberedDevices).where(eq(rememberedDevices.userId, id))
  }

  /** Removes the user; what they did stays in the audit log. */
  async remove(transaction: Db, id: string): Promise<void> {
    await this.queueSeatSync(transaction, [id])
    await transaction.delete(sessionLinks).where(eq(sessionLinks.userId, id))
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

  private async queueSeatSync(transaction: Db, ids: readonly string[]): Promise<void> {
    if (this.plans.haveSeats) await queueSeatSync(transaction, ids)
  }
}

/** Whether a user's name or e-mail address contains the text, ignoring case; addresses are stored in lower case. */
export function isCalled(text: string): SQL {
  const isInEmail = sql`position(${text.toLowerCase()} in ${users.email}) > 0`
  return sql`(${isInEmail} or ${containsIgnoringCase(users.name, text)})`
}

/** Users of the account after this position, oldest first; null for all of them. */
function isAfter(accountId: string, after: UserCursor | null): SQL | undefined {
  return and(eq(users.accountId, accountId), after ? sql`${PLACE} > ${placeOf(after)}` : undefined)
}

/** Compared as a row, so that an index finds where the page begins. */
const PLACE = sql`(${users.createdAt}, ${users.id})`

function placeOf({ createdAt, id }: UserCursor): SQL {
  return sql`(${createdAt.toISOString()}::timestamptz, ${id}::uuid)`
}
