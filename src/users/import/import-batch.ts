import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, inArray, notExists, sql } from 'drizzle-orm'
import { SERVICE } from '../../audit/actor.js'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { accounts, users } from '../../database/schema/accounts.js'
import { TotpFactors } from '../../factors/totp/totp-factors.js'
import { PlansFile } from '../../permissions/plans-file.js'
import { queueSeatSync } from '../queue-customer-sync.js'
import type { NewUser } from '../user.js'
import { type Earlier, ImportReview } from './import-review.js'
import type { ImportedUser, NumberedUser } from './imported-user.js'
import type { RefusedLine } from './owner-check.js'

export interface BatchOutcome {
  readonly added: number
  /** Users whose e-mail address was already taken, or is still reserved for its former user. They are left unchanged. */
  readonly alreadyThere: number
  readonly refused: readonly RefusedLine[]
}

/** Writes many users at once. */
@Injectable()
export class ImportBatch {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
    private readonly plans: PlansFile,
    private readonly totp: TotpFactors,
    private readonly review: ImportReview,
  ) {}

  /** Writes in one transaction with its audit row; safe to repeat. */
  write(batch: readonly NumberedUser[]): Promise<BatchOutcome> {
    return this.database.transaction(async transaction => {
      const { accepted, refused } = await this.review.of(transaction, batch, NO_EARLIER)
      const added = await this.add(transaction, accepted)
      const alreadyThere = batch.length - added - refused.length
      if (added > 0) await this.record(transaction, batch, added, alreadyThere)
      return { added, alreadyThere, refused }
    })
  }

  /**
   * What {@link write} would do after the batches already rehearsed with the same `earlier`. Changes only
   * `earlier`.
   */
  async rehearse(batch: readonly NumberedUser[], earlier: Earlier): Promise<BatchOutcome> {
    const { accepted, refused } = await this.database.transaction(db => this.review.of(db, batch, earlier))
    for (const { user } of accepted) {
      earlier.emails.add(user.email)
      if (user.role === 'owner' && user.account.kind !== 'own') earlier.owned.add(user.account.id)
    }
    return {
      added: accepted.length,
      alreadyThere: batch.length - accepted.length - refused.length,
      refused,
    }
  }

  private async add(transaction: Db, fresh: readonly NumberedUser[]): Promise<number> {
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

  private async record(
    transaction: Db,
    batch: readonly NumberedUser[],
    added: number,
    alreadyThere: number,
  ): Promise<void> {
    const lines = { from: batch.at(0)?.line, to: batch.at(-1)?.line }
    const event = auditEvent(SERVICE, 'user.import', { added, alreadyThere, lines })
    await this.auditLog.record(transaction, event)
  }
}

const NO_EARLIER: Earlier = { emails: new Set(), owned: new Set() }

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
