import { Injectable } from '@nestjs/common'
import { and, asc, count, eq, isNull, lte, ne, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import type { SecondFactorRequirement } from '../../platform/database/schema/columns.js'
import { Clock } from '../../platform/time.js'
import type { User } from '../../users/user.js'
import type { SecondFactorPolicy } from './policy-rules.js'

/** How many enabled users a requirement concerns, and how many of them have a second factor. */
export interface Coverage {
  readonly covered: number
  readonly enrolled: number
}

/** What accounts require, in the database. Lock the account before you change it. */
@Injectable()
export class SecondFactorPolicies {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Null when there is no such account. */
  async find(accountId: string): Promise<SecondFactorPolicy | null> {
    const { secondFactor, secondFactorFrom, secondFactorEnforced, paymentStepUpMinutes } = accounts
    const [row] = await this.database.run(db =>
      db
        .select({ secondFactor, secondFactorFrom, secondFactorEnforced, paymentStepUpMinutes })
        .from(accounts)
        .where(eq(accounts.id, accountId)),
    )
    return row ?? null
  }

  async write(transaction: Db, accountId: string, policy: SecondFactorPolicy): Promise<void> {
    const { secondFactor, secondFactorFrom, secondFactorEnforced, paymentStepUpMinutes } = policy
    await transaction
      .update(accounts)
      .set({ secondFactor, secondFactorFrom, secondFactorEnforced, paymentStepUpMinutes })
      .where(eq(accounts.id, accountId))
  }

  /** Whether the requirement would concern the user. */
  async concerns(db: Db, required: SecondFactorRequirement, { id }: Pick<User, 'id'>): Promise<boolean> {
    const [row] = await db
      .select({ needs: needs(required) })
      .from(users)
      .where(eq(users.id, id))
    return row?.needs ?? false
  }

  async coverage(accountId: string, required: SecondFactorRequirement): Promise<Coverage> {
    const isConcerned = and(eq(users.accountId, accountId), isNull(users.disabledAt), needs(required))
    const [row] = await this.database.run(db =>
      db
        .select({
          covered: count(),
          enrolled: sql<number>`(count(*) filter (where ${users.hasSecondFactor}))::int`,
        })
        .from(users)
        .where(isConcerned),
    )
    return row as Coverage
  }

  /** Accounts whose grace period is over, longest overdue first. */
  async listDue(): Promise<string[]> {
    const rows = await this.database.run(db =>
      db
        .select({ id: accounts.id })
        .from(accounts)
        .where(this.isDue())
        .orderBy(asc(accounts.secondFactorFrom)),
    )
    return rows.map(({ id }) => id)
  }

  /** Marks the requirement of the account, which must be locked, as enforced; false when it is not due. */
  async enforce(transaction: Db, accountId: string): Promise<boolean> {
    const enforced = await transaction
      .update(accounts)
      .set({ secondFactorEnforced: true })
      .where(and(eq(accounts.id, accountId), this.isDue()))
      .returning({ id: accounts.id })
    return enforced.length > 0
  }

  private isDue() {
    return and(
      ne(accounts.secondFactor, 'off'),
      sql`not ${accounts.secondFactorEnforced}`,
      lte(accounts.secondFactorFrom, this.clock.now()),
    )
  }
}

function needs(required: SecondFactorRequirement): SQL<boolean> {
  return sql<boolean>`needs_second_factor(${required}, ${users.role}, ${users.granted})`
}
