import { Injectable } from '@nestjs/common'
import { and, eq, inArray, like, ne } from 'drizzle-orm'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import { billingCustomers } from '../../platform/database/schema/billing.js'
import { satellites } from '../../platform/database/schema/satellites.js'
import { startsWith, startsWithIgnoringCase } from '../../platform/database/sql.js'
import { isId } from '../../platform/http/request.js'
import type { OperatorActor } from '../operator.guard.js'

/** If more match, type more. */
const MAX_RESULTS = 20

export interface FoundAccount {
  readonly id: string
  readonly name: string | null
  readonly owner: string | null
  readonly createdAt: Date
}

export interface FoundUser {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member'
  readonly disabledAt: Date | null
}

export interface Found {
  readonly accounts: readonly FoundAccount[]
  readonly users: readonly FoundUser[]
}

/** Finds accounts and users for operators, by prefixes that an index can answer. */
@Injectable()
export class DirectorySearch {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * At most 20 accounts and 20 users: either by id; users by the start of their e-mail address; accounts by
   * the start of their name, by the origin of a satellite, or by the payment provider's customer id. Recorded
   * before it is answered.
   */
  async find(text: string, actor: OperatorActor): Promise<Found> {
    await this.database.transaction(transaction =>
      this.auditLog.record(transaction, auditEvent(actor, 'operator.search', { text })),
    )
    const [foundAccounts, foundUsers] = await Promise.all([this.accounts(text), this.users(text)])
    return { accounts: foundAccounts, users: foundUsers }
  }

  private accounts(text: string): Promise<FoundAccount[]> {
    return this.database.report(async db => {
      const ids = isId(text) ? [text] : await idsOfAccounts(db, text)
      const { id, name, createdAt } = accounts
      const isOwner = and(eq(users.accountId, id), eq(users.role, 'owner'))
      return db
        .select({ id, name, owner: users.email, createdAt })
        .from(accounts)
        .leftJoin(users, isOwner)
        .where(inArray(id, ids))
        .orderBy(name, id)
        .limit(MAX_RESULTS)
    })
  }

  private users(text: string): Promise<FoundUser[]> {
    const which = isId(text) ? eq(users.id, text) : like(users.email, startsWith(text.toLowerCase()))
    const { id, accountId, email, name, role, disabledAt } = users
    return this.database.report(db =>
      db
        .select({ id, accountId, email, name, role, disabledAt })
        .from(users)
        .where(which)
        .orderBy(email)
        .limit(MAX_RESULTS),
    )
  }
}

/** Each of the three searches uses its own index; combined in one condition they would scan every account. */
async function idsOfAccounts(db: Db, text: string): Promise<string[]> {
  const isNamed = startsWithIgnoringCase(accounts.name, text)
  const named = db.select({ id: accounts.id }).from(accounts).where(isNamed).limit(MAX_RESULTS)
  const withSatellite = db
    .select({ id: satellites.accountId })
    .from(satellites)
    .where(and(eq(satellites.origin, text), ne(satellites.state, 'pending')))
  const ofCustomer = db
    .select({ id: billingCustomers.accountId })
    .from(billingCustomers)
    .where(eq(billingCustomers.customerId, text))
  const rows = [...(await named), ...(await withSatellite), ...(await ofCustomer)]
  return [...new Set(rows.map(({ id }) => id))]
}
