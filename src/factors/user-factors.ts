import { Injectable } from '@nestjs/common'
import { and, eq, gte, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import {
  factorResets,
  passkeys,
  recoveryCodes,
  rememberedDevices,
  totpFactors,
} from '../platform/database/schema/factors.js'
import type { RecordedChanges } from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'

/** The factors that a user has besides a password. */
export interface FactorSummary {
  /** When the authenticator app was confirmed; null without one. */
  readonly totpConfirmedAt: Date | null
  readonly passkeys: number
  /** Unused ones. */
  readonly recoveryCodesLeft: number
}

/** All kinds of users' factors together. Methods that change something need the user's row locked. */
@Injectable()
export class UserFactors {
  constructor(
    private readonly database: Database,
    private readonly changes: SessionChanges,
  ) {}

  find(userId: string): Promise<FactorSummary> {
    return this.database.run(db => this.findIn(db, userId))
  }

  /** Like {@link find}, in a transaction. */
  async findIn(db: Db, userId: string): Promise<FactorSummary> {
    const isUnused = and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))
    const [row] = await db
      .select({
        totpConfirmedAt: totpFactors.confirmedAt,
        passkeys: db.$count(passkeys, eq(passkeys.userId, userId)),
        recoveryCodesLeft: db.$count(recoveryCodes, isUnused),
      })
      .from(sql`(select 1) as one`)
      .leftJoin(totpFactors, eq(totpFactors.userId, userId))
    return row as FactorSummary
  }

  /**
   * Call it after factors were added or removed: sets whether the user has a second factor. Live sessions lose
   * their permissions if the user now has to set one up, and get them back if not: what is returned has to reach
   * the store. Without any factor, the recovery codes and the remembered devices are removed too.
   */
  async reassess(transaction: Db, userId: string): Promise<RecordedChanges> {
    const { totpConfirmedAt, passkeys: keys } = await this.findIn(transaction, userId)
    const hasSecondFactor = totpConfirmedAt !== null || keys > 0
    if (!hasSecondFactor) {
      await transaction.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
      await this.forgetDevices(transaction, userId)
    }
    const [user] = await transaction
      .update(users)
      .set({ hasSecondFactor })
      .where(eq(users.id, userId))
      .returning({ granted: users.granted })
    const change = user && ({ kind: 'set-permissions', userId, granted: user.granted } as const)
    return this.changes.record(transaction, change ? [change] : [], null)
  }

  /** Removes everything, including a pending reset; then {@link reassess}. */
  async removeAll(transaction: Db, userId: string): Promise<RecordedChanges> {
    await transaction.delete(totpFactors).where(eq(totpFactors.userId, userId))
    await transaction.delete(passkeys).where(eq(passkeys.userId, userId))
    await transaction.delete(factorResets).where(eq(factorResets.userId, userId))
    return this.reassess(transaction, userId)
  }

  /** Removes what was added at `since` or later, possibly by somebody other than the user; then {@link reassess}. */
  async removeAddedSince(transaction: Db, userId: string, since: Date): Promise<RecordedChanges> {
    for (const table of [passkeys, recoveryCodes])
      await transaction.delete(table).where(and(eq(table.userId, userId), gte(table.createdAt, since)))
    // Somebody else may have begun it long before they confirmed it, and the user was not told of that.
    const { confirmedAt } = totpFactors
    const isNew = or(isNull(confirmedAt), gte(confirmedAt, since))
    await transaction.delete(totpFactors).where(and(eq(totpFactors.userId, userId), isNew))
    return this.reassess(transaction, userId)
  }

  /** Every browser of these users is asked for a second factor again. */
  async forgetDevices(transaction: Db, ...userIds: string[]): Promise<void> {
    await transaction.delete(rememberedDevices).where(inArray(rememberedDevices.userId, userIds))
  }
}
