import { Injectable } from '@nestjs/common'
import { type SQL, type SQLChunk, sql } from 'drizzle-orm'
import {
  DEVICE_COLUMNS,
  DEVICE_PARTS,
  type KnownDevice,
  type KnownDeviceRow,
} from '../../anomalies/known-devices.js'
import { LoginAnomalyCheck, UnusualLogin } from '../../anomalies/login-check.js'
import { languageWanted } from '../../mail/language.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AUDIT_ROW, AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { parameter, Statement, type UsedRow } from '../../platform/database/statement.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { countsOf, Metrics } from '../../platform/metrics.js'
import type { Session } from '../../sessions/session.js'
import type { Proof } from '../../sessions/sessions.service.js'
import { SESSION_COUNT, SESSION_ROW } from '../../sessions/user-sessions.js'
import { hasSecondFactor, includesPassword, namesOf } from '../../tokens/access-tokens.js'
import { unchangedUser } from '../../users/unchanged-user.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import type { Login, LoginUse } from './login-context.js'

interface Row extends KnownDeviceRow {
  /** The first required row that is missing; null when none is. */
  readonly missing: string | null
  /** A bigint; null when something is missing. */
  readonly live_sessions: string | null
}

const USER = 'unchanged_user'

/**
 * Writes the session's row, the audit row and what the login came from, if the user is unchanged since we read
 * them and everything that is to be used up is there. A change made since then would have missed the new session;
 * a later one waits for this statement and finds it. Everything else is locked after the user.
 */
function buildLoginStatement(used: readonly UsedRow[]): Statement<Row> {
  const names = [USER, ...used.map(({ name }) => name)].map(name => sql.identifier(name))
  const locks = used.map(
    ({ lock }, index) => sql`${names[index + 1]} as (${lock(names[index] as SQLChunk)}),`,
  )
  const uses = used.map(
    ({ name, use }) => sql`${sql.identifier(`${name}_used`)} as (${use(whereAllIs(name))}),`,
  )
  const all = sql.join(names, sql`, `)
  const missing = names.map(
    name => sql`when not exists (select from ${name}) then ${sql.raw(`'${name.value}'`)}`,
  )
  return new Statement(sql`
    with ${names[0]} as (${unchangedUser(name => parameter('user', name, users[name]))}),
    ${sql.join(locks, sql` `)}
    found as (select ${names[0]}.id from ${all}),
    ${sql.join(uses, sql` `)}
    session as (${SESSION_ROW}),
    audit as (${AUDIT_ROW}),
    ${DEVICE_PARTS}
    select case ${sql.join(missing, sql` `)} end as missing, (select ${SESSION_COUNT} from found) as live_sessions, ${DEVICE_COLUMNS}`)
}

/** What the part of this name has selected, if nothing is missing. */
function whereAllIs(name: string): SQL {
  const part = sql.identifier(name)
  return sql`(select ${part}.* from ${part}, found) as selected`
}

/** What is known about a login that has been recorded. */
interface RecordedLogin {
  readonly device: KnownDevice
  /** How many unexpired sessions the user has, with the new one. */
  readonly liveSessions: number
}

const LOGIN_METHODS = ['password', 'password and second factor', 'passkey', 'handoff'] as const
type LoginMethod = (typeof LOGIN_METHODS)[number]

function loginMethodOf({ methods, inheritedAuthTime }: Proof): LoginMethod {
  if (inheritedAuthTime) return 'handoff'
  if (!includesPassword(methods)) return 'passkey'
  return hasSecondFactor(methods) ? 'password and second factor' : 'password'
}

/** Records logins, provided the users are unchanged since they were read. */
@Injectable()
export class LoginRecords {
  private readonly counts = countsOf(LOGIN_METHODS)
  private readonly statements = new Map<string, Statement<Row>>()

  constructor(
    private readonly users: Users,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
    metrics: Metrics,
  ) {
    metrics.counter({
      name: 'logins_total',
      help: 'Logins that opened a session, by the way in',
      label: 'way',
      read: () => this.counts,
    })
  }

  /**
   * From the first login with a browser that states a language. A later login could be a thief's, and the user
   * would then get mails in the thief's language.
   */
  async setLanguageIfUnknown(user: User, client: Client): Promise<void> {
    const language = user.language === null && languageWanted(client.acceptLanguage)
    if (language) await this.users.setLanguageIfUnknown(user.id, language)
  }

  /** Counts a login that was completed. */
  count(proof: Proof): void {
    this.counts[loginMethodOf(proof)]++
  }

  /**
   * Confirms the session in the database, in one statement. Throws `TOO_BUSY` when the user has changed in the
   * meantime or the browser has been forgotten, what the confirmation throws when something else has, and {@link
   * UnusualLogin}, of which the user is told.
   */
  async confirm(session: Session, login: Login): Promise<RecordedLogin> {
    const { user, confirmation, context, proof, remembered } = login
    const { source, client, deviceId } = context
    const detail = { source, methods: namesOf(proof.methods), ...confirmation?.detail }
    const audit = this.auditLog.rowOf(auditEvent({ ...session, client }, 'login', detail))
    const seen = this.anomalyCheck.seenAt(user.id, deviceId, client)
    const uses = [...(confirmation?.uses ?? []), ...(remembered ? [remembered] : [])]
    const used = Object.fromEntries(uses.map(({ row, values }) => [row.name, values]))
    const values = { user, session, audit, device: seen.values, ...used }
    const statement = this.statementFor(uses)
    const write = (db: Db) => statement.run(db, values)
    const mayRefuse = this.anomalyCheck.mayRefuse
    const record = async (transaction?: Db): Promise<RecordedLogin> => {
      if (mayRefuse && !transaction) return this.database.transaction(record)
      const [row] = (await this.database.run(write, transaction)) as [Row]
      requireAll(row, uses)
      const device = seen.deviceOf(row)
      if (mayRefuse) this.anomalyCheck.requireUsual(device, client)
      return { device, liveSessions: Number(row.live_sessions) }
    }
    try {
      return await (confirmation ? confirmation.confirm(session, record) : record())
    } catch (error) {
      if (error instanceof UnusualLogin) await this.anomalyCheck.notifyRefused(session, client, error)
      throw error
    }
  }

  /** One for each kind of login, of which there are few. */
  private statementFor(uses: readonly LoginUse[]): Statement<Row> {
    const rows = uses.map(({ row }) => row)
    const name = rows.map(row => row.name).join(' ')
    const statement = this.statements.get(name) ?? buildLoginStatement(rows)
    this.statements.set(name, statement)
    return statement
  }
}

function requireAll({ missing }: Row, uses: readonly LoginUse[]): void {
  if (missing === null) return
  const refusal = uses.find(({ row }) => row.name === missing)?.refusal
  throw refusal ? new ApiError(refusal) : unavailable('TOO_BUSY')
}
