import { Injectable } from '@nestjs/common'
import { eq, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { ApiError } from '../platform/errors/api-error.js'

/** Whether a user's account requires a second factor of them, and from when on; null when it does not. */
export interface RequiredFactor {
  readonly required: boolean
  readonly requiredFrom: Date | null
}

/** What accounts require of their users. */
@Injectable()
export class FactorRequirement {
  async of(db: Db, userId: string): Promise<RequiredFactor> {
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
  async requireEnough(transaction: Db, userId: string, left: number): Promise<void> {
    if (left > 0) return
    const { required } = await this.of(transaction, userId)
    if (required) throw new ApiError('SECOND_FACTOR_NEEDED')
  }
}
