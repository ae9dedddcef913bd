import { Injectable } from '@nestjs/common'
import { Database } from '../platform/database/database.js'
import { deviceName } from '../platform/http/request.js'
import type { AuditListQuery } from './audit.dto.js'
import { idsBetween, selectionOf } from './audit-filter.js'
import { scanAuditLog } from './audit-scan.js'
import { pageBefore } from './row-page.js'
import { usersInRows } from './users-in-rows.js'

/** The audit log of an account, for its managers. */
@Injectable()
export class AuditTrail {
  constructor(private readonly database: Database) {}

  /**
   * One page of the account's rows, newest first. A page continues where the previous one ended, whatever has
   * been written since; under a filter it may end early, with a `next`. `people` are the e-mail addresses of the
   * users in it: the current ones, or for removed users the last; `names` are the names of those who have one.
   */
  async list(accountId: string, query: AuditListQuery) {
    const { rows, next } = await this.database.report(async db => {
      const range = await idsBetween(db, query)
      return pageBefore(query, range, step => scanAuditLog(db, selectionOf(accountId, query), step))
    })
    const { emails, names } = await usersInRows(this.database, accountId, rows)
    const entries = rows.map(({ accountId: _, ...row }) => ({
      ...row,
      email: emailOf(row, emails),
      device: deviceOf(row),
    }))
    return { entries, people: Object.fromEntries(emails), names, next }
  }
}

function emailOf({ userId }: { userId: string | null }, emails: ReadonlyMap<string, string>): string | null {
  return (userId && emails.get(userId)) ?? null
}

/** In words; null for what an operator or the service itself did. */
function deviceOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): string | null {
  return ip === null ? null : deviceName(userAgent)
}
