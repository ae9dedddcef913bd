import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, getTableColumns, notExists, sql } from 'drizzle-orm'
import { TotpFactors } from '../../factors/totp.js'
import type { Db } from '../../platform/database/connection.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import { isAnyOf, RowsInsert } from '../../platform/database/sql.js'
import { PlansFile } from '../../platform/plans.js'
import { Clock, Clock } from '../../platform/time.js'
import { queueSeatSync } from '../queue-customer-sync.js'
import type { NewUser } from '../user.js'
import type { ImportedUser, NumberedUser } from './imported-user.js'

type Row = typeof users.$inferSelect
type Account = Pick<typeof accounts.$inferSelect, 'id' | 'entitled'>

const ADD_USERS = new RowsInsert<typeof users, keyof Row, Pick<Row, 'id'>>(
  users,
  getTableColumns(users),
  sql`on conflict do nothing returning id`,
)

/** Writes imported users, with the accounts and the authenticator apps that they bring along. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly clock: Clock,
    private readonly plans: PlansFile,
    private readonly totp: TotpFactors,
  ) {}

  /** Returns how many were added: not those whose address somebody else has taken in the meantime. */
  async add(transaction: Db, fresh: readonly NumberedUser[]): Promise<number> {
    if (fresh.length === 0) return 0
    const createdAt = this.clock.now()
    const people = fresh.map(({ user }) => asUser(user))
    const { made, locked } = await this.addAccounts(transaction, people, createdAt)
    const accountOf = new Map(locked.map(account => [account.id, account]))
    const rows = people.map(user => asRow(user, accountOf.get(user.accountId) as Account, createdAt))
    const added = await ADD_USERS.run(transaction, rows)
    // The others have just been added by somebody else; accounts created only for them must not stay.
    if (added.length < rows.length) await dropEmpty(transaction, made)
    const ids = added.map(({ id }) => id)
    for (const { id, totpSecret } of people)
      if (totpSecret !== null && ids.includes(id)) await this.totp.add(transaction, id, totpSecret)
    if (this.plans.haveSeats && ids.length > 0) await queueSeatSync(transaction, ids)
    return added.length
  }

  /** Adds those that do not exist yet; returns their ids as `made`, and all of them as `locked` until the transaction ends. */
  private async addAccounts(
    transaction: Db,
    people: readonly NewUser[],
    createdAt: Date,
  ): Promise<{ made: string[]; locked: Account[] }> {
    const { withoutPlan: entitled, version: entitledBy } = this.plans
    const limits = this.plans.limitsOf(null)
    const ids = [...new Set(people.map(({ accountId }) => accountId))].sort()
    const made = await transaction
      .insert(accounts)
      .values(ids.map(id => ({ id, createdAt, entitled, entitledBy, limits })))
      .onConflictDoNothing()
      .returning({ id: accounts.id })
    // Locked until these users exist; otherwise a change of their account's requirements or entitlements
    // would miss them.
    const locked = await transaction
      .select({ id: accounts.id, entitled: accounts.entitled })
      .from(accounts)
      .where(isAnyOf(accounts.id, ids))
      .orderBy(accounts.id)
      .for('share')
    return { made: made.map(({ id }) => id), locked }
  }
}

interface NewImportedUser extends NewUser, Pick<ImportedUser, 'totpSecret'> {}

function asUser({ account, ...user }: ImportedUser): NewImportedUser {
  const accountId = account.kind === 'own' ? randomUUID() : account.id
  return { ...user, id: randomUUID(), accountId }
}

function asRow({ totpSecret, ...user }: NewImportedUser, { entitled }: Account, createdAt: Date): Row {
  return {
    ...user,
    language: user.language ?? null,
    satellites: user.satellites && [...user.satellites],
    entitled,
    hasSecondFactor: totpSecret !== null,
    mustEnrol: false,
    disabledAt: null,
    disabledBy: null,
    invitedBy: null,
    createdAt,
  }
}

async function dropEmpty(transaction: Db, ids: readonly string[]): Promise<void> {
  const remainingUsers = transaction
    .select({ id: users.id })
    .from(users)
    .where(eq(users.accountId, accounts.id))
  await transaction.delete(accounts).where(and(isAnyOf(accounts.id, ids), notExists(remainingUsers)))
}
