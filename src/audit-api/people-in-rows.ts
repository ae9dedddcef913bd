import { Injectable } from '@nestjs/common'
import { and, eq, inArray } from 'drizzle-orm'
import { Database } from '../database/database.js'
import { auditLog, users } from '../database/schema.js'

/** The parts of a row that name people. */
export interface RowAboutPeople {
  /** Whom it concerns. */
  readonly userId: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** The fields of `detail` that hold a user id. */
const USERS_IN_DETAIL = ['by', 'invitedBy', 'to', 'from'] as const

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Finds the people named in rows of the audit log. */
@Injectable()
export class PeopleInRows {
  constructor(private readonly database: Database) {}

  /**
   * E-mail addresses by user id, for all users of the account in these rows: the current address, or for
   * removed users the last. Never of another account.
   */
  async emailsOf(accountId: string, rows: readonly RowAboutPeople[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(rows.flatMap(idsIn))]
    if (ids.length === 0) return new Map()
    const removed = await this.removedEmails(accountId, ids)
    const present = await this.database.report(db =>
      db
        .select({ id: users.id, email: users.email })
        .from(users)
        .where(and(inArray(users.id, ids), eq(users.accountId, accountId))),
    )
    return new Map([...removed, ...present.map(({ id, email }) => [id, email] as const)])
  }

  /** The addresses that the rows about their removal have kept. */
  private async removedEmails(accountId: string, ids: string[]): Promise<[string, string][]> {
    const isRemoval = and(eq(auditLog.action, 'user.remove'), eq(auditLog.outcome, 'ok'))
    const rows = await this.database.report(db =>
      db
        .select({ userId: auditLog.userId, detail: auditLog.detail })
        .from(auditLog)
        .where(and(inArray(auditLog.userId, ids), eq(auditLog.accountId, accountId), isRemoval)),
    )
    return rows.flatMap(({ userId, detail }) =>
      userId && typeof detail.email === 'string' ? [[userId, detail.email] as [string, string]] : [],
    )
  }
}

function idsIn({ userId, detail }: RowAboutPeople): string[] {
  return [userId, ...USERS_IN_DETAIL.map(name => detail[name])].filter(
    (id): id is string => typeof id === 'string' && ID.test(id),
  )
}
