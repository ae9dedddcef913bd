import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import type { DeviceId } from '../../anomalies/device-id.js'
import { LoginAnomalyCheck } from '../../anomalies/login-anomaly-check.js'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { unavailable } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { languageWanted } from '../../mail/mail-language.js'
import { countsOf, Metrics } from '../../metrics/metrics.js'
import { hasSecondFactor, includesPassword, namesOf } from '../../permissions/auth-methods.js'
import type { Source } from '../../permissions/permissions.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session, SessionHandle, SessionId } from '../../sessions/session.js'
import {
  type ConfirmOpening,
  type NewSession,
  type Proof,
  SessionsService,
} from '../../sessions/sessions.service.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { SecondFactorDemand } from '../second-factor/second-factor-demand.js'
import type { LogoutScope } from './login.dto.js'

/** Where a login comes from, and what it brings. */
export interface LoginContext {
  readonly source: Source
  readonly client: Client
  /** The sessions that the browser already had. */
  readonly sessionIds: readonly SessionId[]
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
  /** What the cookie of a remembered device has; main site only. */
  readonly rememberedDevice?: string | null
}

/** A session, and the device id that its client must keep; null when it keeps none. */
export interface LoggedIn extends NewSession {
  readonly deviceId: DeviceId | null
}

/** What a login rests on that does not begin with a password. */
export interface LoginGrounds {
  /** When the session ends at the latest; left out for its usual end. */
  readonly expiresBy?: Date
  /** For the audit log. */
  readonly detail: Readonly<Record<string, unknown>>
  /** Calls `record` in a transaction of what else must be so, and throws when it is not. */
  confirm(session: Session, record: (transaction: Db) => Promise<void>): Promise<void>
}

const WAYS = ['password', 'password and second factor', 'passkey', 'handoff'] as const
type Way = (typeof WAYS)[number]

function wayOf({ methods, at }: Proof): Way {
  if (at) return 'handoff'
  if (!includesPassword(methods)) return 'passkey'
  return hasSecondFactor(methods) ? 'password and second factor' : 'password'
}

/** Records logins as long as the users are as they were read. */
@Injectable()
export class LoginRecords {
  private readonly counts = countsOf(WAYS)

  constructor(
    private readonly users: Users,
    private readonly auditLog: AuditLog,
    metrics: Metrics,
  ) {
    metrics.counter({
      name: 'logins_total',
      help: 'Logins that opened a session, by the way in',
      label: 'way',
      read: () => this.counts,
    })
  }

  /** The first login with a browser that tells one: a later one could be a thief's, who would not be understood. */
  async learnLanguage(user: User, client: Client): Promise<void> {
    const language = user.language === null && languageWanted(client.acceptLanguage)
    if (language) await this.users.learnLanguage(user.id, language)
  }

  /** A login that came to its end. */
  count(proof: Proof): void {
    this.counts[wayOf(proof)]++
  }

  /** What confirms the session in the database. It throws `TOO_BUSY` when the user has changed meanwhile. */
  confirmationOf(
    user: User,
    { methods }: Proof,
    { source, client }: LoginContext,
    grounds?: LoginGrounds,
  ): ConfirmOpening {
    return async (session, insert) => {
      // A change since we read the user would miss the new session. A later one waits for this statement
      // and finds it.
      const detail = { source, methods: namesOf(methods), ...grounds?.detail }
      const event = auditEvent({ ...session, client }, 'login', detail)
      const unchanged = (db: Db) => this.users.unchanged(db, user)
      const record = async (transaction?: Db) => {
        const isRecorded = await this.auditLog.recordIf(unchanged, event, insert, transaction)
        if (!isRecorded) throw unavailable('TOO_BUSY')
      }
      await (grounds ? grounds.confirm(session, record) : record())
    }
  }
}

/** Opens the sessions of all who log in, in whatever way, and ends them at logout. */
@Injectable()
export class LoginSessions {
  constructor(
    private readonly sessions: SessionsService,
    private readonly secondFactors: SecondFactorDemand,
    private readonly records: LoginRecords,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * The one door to a session: opens it for a user who has proved who they are, and ends those that the
   * browser already had. Throws `SECOND_FACTOR_REQUIRED` or `HANDOFF_REQUIRED` when they have to prove more
   * (see {@link SecondFactorDemand}), `TOO_BUSY` when the user has been changed since we read them, and
   * `INVALID_CREDENTIALS` for a login that is too unusual.
   */
  async admit(user: User, proof: Proof, context: LoginContext, grounds?: LoginGrounds): Promise<LoggedIn> {
    const { source, client, sessionIds, deviceId } = context
    // A session that is handed on was admitted when it began, and a passkey is two factors.
    if (!proof.at) await this.secondFactors.check(user, proof, context)
    const confirm = this.records.confirmationOf(user, proof, context, grounds)
    const opened = await this.sessions.open(
      { ...user, userId: user.id },
      source,
      client,
      proof,
      confirm,
      grounds?.expiresBy,
    )
    try {
      const deviceIdToKeep = await this.anomalyCheck.check(opened.session, deviceId, client)
      // Only now; otherwise a refused login would reveal, by ending them, that the password was right.
      await this.changes.endReplaced(sessionIds, client)
      await this.records.learnLanguage(user, client)
      this.records.count(proof)
      return { ...opened, deviceId: deviceIdToKeep }
    } catch (error) {
      await this.sessions.discard(opened)
      throw error
    }
  }

  /**
   * Ends the session of the access token and, unless `scope` is `here`, those that it was handed on to. The
   * token itself stays valid until it expires. Safe to repeat.
   */
  async end({ sid, userId, accountId }: Caller, client: Client, scope: LogoutScope): Promise<void> {
    const keepsChildren = scope === 'here'
    await this.changes.applyDurably(
      { kind: 'end', sid: sid as SessionHandle, keepsChildren },
      auditEvent({ userId, accountId, sid, client }, 'logout', keepsChildren ? { scope } : undefined),
    )
  }
}

/**
 * The answer for clients without a cookie. The device id is in it only when it differs from the one that was
 * sent, and only for clients that know of device ids.
 */
export function answerWithoutCookie(
  { accessToken, sessionId, deviceId }: LoggedIn,
  sentDeviceId: DeviceId | null | undefined,
) {
  const isNew = deviceId !== null && deviceId !== sentDeviceId
  return { accessToken, sessionId, ...(isNew && { deviceId }) }
}
