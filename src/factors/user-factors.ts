import { Injectable } from '@nestjs/common'
import { and, eq, gte, inArray, isNull, or, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import {
  factorResets,
  passkeys,
  recoveryCodes,
  rememberedDevices,
  totpFactors,
} from '../platform/database/schema/factors.js'
import { ApiError } from '../platform/errors/api-error.js'
import { type RecordedChanges, SessionChanges } from '../sessions/changes.js'
import type { Session } from '../sessions/session.js'
import { acrOf, TWO_FACTORS } from '../tokens/access-tokens.js'

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
   * their permissions if the user now has to set one up, and get them back if not, once the caller has committed what is
   * returned ({@link SessionChanges.commit}). Without any factor, the recovery codes and the remembered devices are
   * removed too.
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
      .returning({ id: users.id })
    return this.changes.record(transaction, user ? [{ kind: 'permissions', userId }] : [], null)
  }

  /** Removes everything, including a pending reset; then {@link reassess}. */
  async removeAll(transaction: Db, userId: string): Promise<RecordedChanges> {
    await transaction.delete(totpFactors).where(eq(totpFactors.userId, userId))
    await transaction.delete(passkeys).where(eq(passkeys.userId, userId))
    await transaction.delete(factorResets).where(eq(factorResets.userId, userId))
    return this.reassess(transaction, userId)
  }

  /** Removes what was added at `since` or later, possibly by an attacker; then {@link reassess}. */
  async removeAddedSince(transaction: Db, userId: string, since: Date): Promise<RecordedChanges> {
    for (const table of [passkeys, recoveryCodes])
      await transaction.delete(table).where(and(eq(table.userId, userId), gte(table.createdAt, since)))
    // An attacker may have begun it long before they confirmed it, and the user was not mailed about that.
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

/** Whether a user's account requires a second factor of them, and from when on; null when it does not. */
interface RequiredFactor {
  readonly required: boolean
  readonly requiredFrom: Date | null
}

/** What the user's account requires of them. */
export async function requiredFactorOf(db: Db, userId: string): Promise<RequiredFactor> {
  const [row] = await db
    .select({
      required: sql<boolean>`needs_second_factor(${accounts.secondFactor}, ${users.role}, ${users.granted})`,
      from: accounts.secondFactorFrom,
    })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(users.id, userId))
  const required = row?.required ?? false
  return { required, requiredFrom: required ? (row?.from ?? null) : null }
}

/**
 * `left` is how many factors a user would have after one is removed. Throws `SECOND_FACTOR_NEEDED` when that is
 * none and the account requires one, now or from some day on.
 */
export async function requireEnoughFactors(transaction: Db, userId: string, left: number): Promise<void> {
  if (left > 0) return
  const { required } = await requiredFactorOf(transaction, userId)
  if (required) throw new ApiError('SECOND_FACTOR_NEEDED')
}

/**
 * From when on what was done in a session may have been an attacker's. One that has used a second factor did so
 * just before what the user is mailed about, so only the time since then is in question: an attacker who has only the
 * mailbox must not be able to remove older factors by a mail about the session in which they were set up. A session
 * whose authentication was voided says 1970.
 */
export function inQuestionSince({
  createdAt,
  amr,
  authTime,
}: Pick<Session, 'createdAt' | 'amr' | 'authTime'>): Date {
  return acrOf(amr) === TWO_FACTORS && authTime > createdAt ? authTime : createdAt
}
