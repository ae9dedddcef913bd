import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, inArray, notExists, sql } from 'drizzle-orm'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { accounts, users } from '../../database/schema/accounts.js'
import { TotpFactors } from '../../factors/totp/totp-factors.js'
import { PlansFile } from '../../permissions/plans-file.js'
import { queueSeatSync } from '../queue-customer-sync.js'
import type { NewUser } from '../user.js'
import type { ImportedUser, NumberedUser } from './imported-user.js'

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
    const rows = fresh.map(({ user }) => asUser(user))
    const made = await this.addAccounts(transaction, rows, createdAt)
    const added = await transaction
      .insert(users)
      .values(rows.map(row => ({ ...asRow(row), createdAt })))
      .onConflictDoNothing()
      .returning({ id: users.id })
    // The others have just been added by somebody else; accounts created only for them must not stay.
    if (added.length < rows.length) await dropEmpty(transaction, made)
    const ids = added.map(({ id }) => id)
    for (const { id, totpSecret } of rows)
      if (totpSecret !== null && ids.includes(id)) await this.totp.add(transaction, id, totpSecret)
    if (this.plans.haveSeats && ids.length > 0) await queueSeatSync(transaction, ids)
    return added.length
  }

  /** Adds those that do not exist yet; returns their ids. */
  private async addAccounts(transaction: Db, rows: readonly NewUser[], createdAt: Date): Promise<string[]> {
    const { withoutPlan: entitled, version: entitledBy } = this.plans
    const ids = [...new Set(rows.map(({ accountId }) => accountId))].sort()
    const made = await transaction
      .insert(accounts)
      .values(ids.map(id => ({ id, createdAt, entitled, entitledBy })))
      .onConflictDoNothing()
      .returning({ id: accounts.id })
    // Locked until these users exist; otherwise a change of their account's requirements or entitlements
    // would miss them.
    await transaction
      .select({ id: accounts.id })
      .from(accounts)
      .where(inArray(accounts.id, ids))
      .orderBy(accounts.id)
      .for('share')
    return made.map(({ id }) => id)
  }
}

interface NewImportedUser extends NewUser, Pick<ImportedUser, 'totpSecret'> {}

function asUser({ account, ...user }: ImportedUser): NewImportedUser {
  const accountId = account.kind === 'own' ? randomUUID() : account.id
  return { ...user, id: randomUUID(), accountId }
}

/** With the entitlements of the account, which stays locked until the transaction ends. */
function asRow({ totpSecret, ...user }: NewImportedUser) {
  const entitled = sql`(select ${accounts.entitled} from ${accounts} where ${accounts.id} = ${user.accountId})`
  return {
    ...user,
    entitled,
    hasSecondFactor: totpSecret !== null,
    satellites: user.satellites && [...user.satellites],
  }
}

async function dropEmpty(transaction: Db, ids: readonly string[]): Promise<void> {
  const inhabitants = transaction.select({ id: users.id }).from(users).where(eq(users.accountId, accounts.id))
  await transaction.delete(accounts).where(and(inArray(accounts.id, [...ids]), notExists(inhabitants)))
}
