import { Injectable } from '@nestjs/common'
import { and, eq, inArray } from 'drizzle-orm'
import { languageWanted } from '../mail/language.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { formatLocation, GeoIp } from '../platform/geoip.js'
import { deviceName, isId } from '../platform/http/request.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { Session } from '../sessions/session.js'
import { ALL_IDS, type AuditRow } from './chain.js'
import {
  type AuditFilter,
  type AuditSelection,
  idsBetween,
  type PageRequest,
  pageBefore,
  scanAuditLog,
  selectionOf,
} from './scan.js'

/** What people read of the audit log: managers that of their account, and each user their own logins. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: Reauthentication,
    private readonly geoIp: GeoIp,
    private readonly settings: Settings,
  ) {}

  /**
   * One page of the account's rows, newest first. A page continues where the previous one ended, whatever has
   * been written since; under a filter it may end early, with a `next`. `people` are the e-mail addresses of the
   * users in it: the current ones, or for removed users the last; `names` are the names of those who have one.
   * `acceptLanguage` is the reader's, in which places are named.
   */
  async list(accountId: string, query: AuditFilter & PageRequest, acceptLanguage?: string) {
    const { rows, next } = await this.database.report(async db => {
      const range = await idsBetween(db, query)
      return pageBefore(query, range, step => scanAuditLog(db, selectionOf(accountId, query), step))
    })
    const { emails, names } = await usersInRows(this.database, accountId, rows)
    const language = languageWanted(acceptLanguage) ?? this.settings.defaultLanguage
    const entries = rows.map(({ accountId: _, ...row }) => ({
      ...row,
      email: emailOf(row, emails),
      device: deviceOf(row),
      place: row.ip === null ? null : formatLocation(this.geoIp.locate(row.ip), language),
    }))
    return { entries, people: Object.fromEntries(emails), names, next }
  }

  /**
   * One page of the logins of the session's user, successful and failed, newest first. A session that is confined
   * to its satellite sees only that site's; `complete` says whether these are all.
   */
  async listLogins(session: Session, query: PageRequest) {
    const site = this.reauthentication.confinementOf(session)
    const selection = loginsOf(session.userId, site)
    const { rows, next } = await this.database.report(db =>
      pageBefore(query, ALL_IDS, step => scanAuditLog(db, selection, step)),
    )
    return { complete: site === null, logins: rows.map(loginOf), next }
  }
}

function emailOf({ userId }: { userId: string | null }, emails: ReadonlyMap<string, string>): string | null {
  return (userId && emails.get(userId)) ?? null
}

/** In words; null for what an operator or the service itself did. */
function deviceOf({ ip, userAgent }: { ip: string | null; userAgent: string | null }): string | null {
  return ip === null ? null : deviceName(userAgent)
}

function loginsOf(user: string, site: string | null): AuditSelection {
  const { outcome, origin } = auditLog
  const isLogin = inArray(outcome, ['ok', 'failed'])
  const isThere = site === null ? undefined : eq(origin, site)
  return { accountId: null, user, action: 'login', where: and(isLogin, isThere) }
}

function loginOf({ at, outcome, origin, ip, sid, userAgent, detail }: AuditRow) {
  const source = typeof detail.source === 'string' ? detail.source : null
  return { at, outcome, source, origin, ip, sid, device: deviceName(userAgent) }
}

/** The parts of a row that name users. */
interface RowWithUsers {
  /** Whom it concerns. */
  readonly userId: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** The fields of `detail` that hold a user id. */
const USERS_IN_DETAIL = ['by', 'invitedBy', 'to', 'from'] as const

/**
 * E-mail addresses and names by user id, for all users of the account in these rows: the current address, or
 * for removed users the last; and the current name, if any. Never of another account.
 */
export async function usersInRows(
  database: Database,
  accountId: string,
  rows: readonly RowWithUsers[],
): Promise<{ emails: ReadonlyMap<string, string>; names: Readonly<Record<string, string>> }> {
  const ids = [...new Set(rows.flatMap(idsIn))]
  if (ids.length === 0) return { emails: new Map(), names: {} }
  const present = await database.report(db =>
    db
      .select({ id: users.id, email: users.email, name: users.name })
      .from(users)
      .where(and(inArray(users.id, ids), eq(users.accountId, accountId))),
  )
  const emails = new Map(present.map(({ id, email }) => [id, email]))
  const removed = await removedEmails(
    database,
    accountId,
    ids.filter(id => !emails.has(id)),
  )
  const named = present.flatMap(({ id, name }) => (name ? [[id, name] as const] : []))
  return { emails: new Map([...removed, ...emails]), names: Object.fromEntries(named) }
}

/** The addresses recorded in the rows about their removal. */
async function removedEmails(
  database: Database,
  accountId: string,
  ids: string[],
): Promise<[string, string][]> {
  if (ids.length === 0) return []
  const isRemoval = and(eq(auditLog.action, 'user.remove'), eq(auditLog.outcome, 'ok'))
  const rows = await database.report(db =>
    db
      .select({ userId: auditLog.userId, detail: auditLog.detail })
      .from(auditLog)
      .where(and(inArray(auditLog.userId, ids), eq(auditLog.accountId, accountId), isRemoval)),
  )
  return rows.flatMap(({ userId, detail }) =>
    userId && typeof detail.email === 'string' ? [[userId, detail.email] as [string, string]] : [],
  )
}

function idsIn({ userId, detail }: RowWithUsers): string[] {
  return [userId, ...USERS_IN_DETAIL.map(name => detail[name])].filter(
    (id): id is string => typeof id === 'string' && isId(id),
  )
}
