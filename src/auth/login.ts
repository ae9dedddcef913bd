// A login with a password: PasswordLogin checks it, LoginSessions opens the session, in one transaction with all that
// the login uses up. Every other way to log in ends in LoginSessions too. It stands first only because Nest reads the
// types of a constructor when its class is declared.
import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { eq, getTableColumns } from 'drizzle-orm'
import type { DeviceId } from '../anomalies/known-devices.js'
import { LoginAnomalyCheck, UnusualLogin } from '../anomalies/login-check.js'
import { RememberedDevices } from '../factors/remembered-devices.js'
import { languageWanted } from '../mail/language.js'
import { NO_MAILS, type SendMails } from '../mail/mail.js'
import { type AuditOutcome, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import type { HandoffRequirement } from '../platform/database/schema/columns.js'
import { ApiError, causeMessage, type ErrorCode, unavailable } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { countsOf, Metrics } from '../platform/metrics.js'
import type { Source } from '../platform/permissions.js'
import { rejectedNoSooner } from '../platform/time.js'
import { SessionChanges } from '../sessions/changes.js'
import type { Session, SessionHandle } from '../sessions/session.js'
import { type NewSession, type Proof, SessionsService } from '../sessions/sessions.js'
import {
  acrOf,
  authMethods,
  hasSecondFactor,
  includesPassword,
  namesOf,
  ONE_FACTOR,
} from '../tokens/access-tokens.js'
import type { Email } from '../users/email.js'
import { Passwords } from '../users/passwords/passwords.js'
import type { EntitledUser, User } from '../users/user.js'
import { Users } from '../users/users.js'
import { LoginLimits } from './login-limits.js'
import { type LoginContext, LoginPolicy } from './login-policy.js'
import { SecondFactorChallenges } from './second-factor-challenges.js'

/** What a login rests on besides a password, such as a hand-off or a second factor. It works once. */
export interface LoginBasis {
  /** The latest time at which the session ends; left out for its usual lifetime. */
  readonly expiresBy?: Date
  /** For the audit log. */
  readonly detail?: Readonly<Record<string, unknown>>
  /**
   * Uses it up in the transaction of the login, which has the user locked; returns the mails about that. Throws
   * when it is gone.
   */
  use(transaction: Db, session: Session): Promise<SendMails>
}

const LOGIN_METHODS = ['password', 'password and second factor', 'passkey', 'handoff'] as const
type LoginMethod = (typeof LOGIN_METHODS)[number]

/** An authenticated user, about to get a session. */
interface Login {
  readonly user: EntitledUser
  readonly proof: Proof
  readonly context: LoginContext
  readonly basis?: LoginBasis | undefined
  /** The id of the remembered device that satisfied the second factor; null when none is needed, or one was used. */
  readonly remembered: string | null
}

/** A session, and the device id that its client must keep; null when it keeps none. */
export interface LoggedIn extends NewSession {
  readonly deviceId: DeviceId | null
}

export const LOGOUT_SCOPES = ['browser', 'here'] as const
/** `here`: this site only. `browser`: also the sites that its session was handed off to. */
export type LogoutScope = (typeof LOGOUT_SCOPES)[number]

/** Opens sessions, however the users log in, and ends them at logout. */
@Injectable()
export class LoginSessions {
  private readonly logger = new Logger('LoginSessions')
  private readonly counts = countsOf(LOGIN_METHODS)

  constructor(
    private readonly sessions: SessionsService,
    private readonly challenges: SecondFactorChallenges,
    private readonly users: Users,
    private readonly devices: RememberedDevices,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly changes: SessionChanges,
    private readonly database: Database,
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

  /**
   * The only way to open a session: for a user who has proved who they are. Ends the sessions that the browser
   * already had. Throws `SECOND_FACTOR_REQUIRED` or `HANDOFF_REQUIRED` when they have to prove more (see {@link
   * SecondFactorChallenges.requireEnough}), `TOO_BUSY` when the user has been changed, or the browser forgotten, since
   * we read them, what the basis throws when it is gone, and `INVALID_CREDENTIALS` for a login that is too unusual.
   */
  async openSession(
    user: EntitledUser,
    proof: Proof,
    context: LoginContext,
    basis?: LoginBasis,
  ): Promise<LoggedIn> {
    const { client, sessionIds } = context
    // A session that is handed off was checked when it began, and a passkey counts as two factors.
    const remembered = proof.inheritedAuthTime
      ? null
      : await this.challenges.requireEnough(user, proof, context)
    const sessionUser = { ...user, userId: user.id }
    const opened = this.sessions.create(sessionUser, context, proof, basis?.expiresBy)
    try {
      const recorded = await this.record(opened.session, { user, proof, context, basis, remembered })
      const { device, liveSessions, sendMails } = recorded
      sendMails()
      await this.anomalyCheck.notifyOpened(opened.session, device, client)
      // Only now; otherwise a refused login would reveal, by ending others, that the password was right.
      await this.ignoringOutage(this.sessions.endSurplus(user.id, liveSessions, client))
      await this.ignoringOutage(this.changes.endReplaced(sessionIds, client))
      await this.ignoringOutage(this.setLanguageIfUnknown(user, client))
      this.counts[loginMethodOf(proof)]++
      return { ...opened, deviceId: device.deviceId }
    } catch (error) {
      if (error instanceof UnusualLogin) await this.anomalyCheck.notifyRefused(opened.session, client, error)
      throw error
    }
  }

  /**
   * All or nothing. The user is locked first, then what is used up. A change of the user since we read them would have
   * missed the new session; a later one waits for this transaction and finds it.
   */
  private record(session: Session, { user, proof, context, basis, remembered }: Login) {
    const { source, client, deviceId } = context
    const detail = { source, methods: namesOf(proof.methods), ...basis?.detail }
    return this.database.transaction(async transaction => {
      if (!(await this.users.lockUnchanged(transaction, user, { isLogin: true })))
        throw unavailable('TOO_BUSY')
      const sendMails = basis ? await basis.use(transaction, session) : NO_MAILS
      if (remembered && !(await this.devices.use(transaction, remembered))) throw unavailable('TOO_BUSY')
      const { device, isSuspicious } = await this.anomalyCheck.record(transaction, session, deviceId, client)
      const added = isSuspicious ? { ...session, reauthenticatedAt: null } : session
      const liveSessions = await this.sessions.add(transaction, added)
      await this.auditLog.record(transaction, auditEvent({ ...session, client }, 'login', detail))
      return { device, liveSessions, sendMails }
    })
  }

  /**
   * From the first login with a browser that states a language. A later login could be an attacker's, and the user
   * would then get mails in the attacker's language.
   */
  private async setLanguageIfUnknown(user: User, client: Client): Promise<void> {
    const language = user.language === null && languageWanted(client.acceptLanguage)
    if (language) await this.users.setLanguageIfUnknown(user.id, language)
  }

  /**
   * For housekeeping that the next login repeats, or that idle timeouts do. An outage here must not fail a login whose code is
   * already used up, and whose session nobody would have.
   */
  private async ignoringOutage(housekeeping: Promise<void>): Promise<void> {
    try {
      await housekeeping
    } catch (error) {
      this.logger.warn(`Housekeeping after a login was skipped: ${causeMessage(error)}`)
    }
  }

  /**
   * Ends the session of the access token and, unless `scope` is `here`, those that were handed off from it. The
   * token itself stays valid until it expires. Safe to repeat.
   */
  async end({ sid, userId, accountId }: Caller, client: Client, scope: LogoutScope): Promise<void> {
    const keepsChildren = scope === 'here'
    await this.changes.commitChange(
      { kind: 'end', sid: sid as SessionHandle, keepsChildren },
      auditEvent({ userId, accountId, sid, client }, 'logout', keepsChildren ? { scope } : undefined),
    )
  }
}

function loginMethodOf({ methods, inheritedAuthTime }: Proof): LoginMethod {
  if (inheritedAuthTime) return 'handoff'
  if (!includesPassword(methods)) return 'passkey'
  return hasSecondFactor(methods) ? 'password and second factor' : 'password'
}

/** What a user types to log in, and the kind of site that they log in at. */
interface TypedLogin {
  readonly email: Email
  readonly password: string
  readonly source: Source
}

/** A user, with what their account says about where they may log in. */
interface LoginUser extends EntitledUser {
  readonly handoffRequired: HandoffRequirement
}

/** The answers to a right password that is not enough. */
const NOT_ENOUGH: ReadonlySet<ErrorCode> = new Set(['HANDOFF_REQUIRED', 'SECOND_FACTOR_REQUIRED'])

@Injectable()
export class PasswordLogin {
  constructor(
    private readonly loginPolicy: LoginPolicy,
    private readonly limits: LoginLimits,
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly sessions: LoginSessions,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Opens a session for the right password; {@link check} lists what is refused, and how. Throws
   * `TOO_MANY_ATTEMPTS` before any work. Throws `HANDOFF_REQUIRED` before that, or only after the right password
   * if it is the user's account or their second factor that requires it: an attacker must not learn whose does. On
   * the main site and in apps a second factor is `SECOND_FACTOR_REQUIRED`. The sessions that the browser already
   * had end.
   */
  async login(login: TypedLogin, context: LoginContext): Promise<LoggedIn> {
    const { client } = context
    // The same answer for every address and every password.
    if (this.loginPolicy.isHandoffOnly(client.origin)) {
      this.noteFailure('refused', 'hand-off required', login.email, null, client)
      throw new ApiError('HANDOFF_REQUIRED')
    }
    const counted = await this.limits.countGuess(login.email, client)
    try {
      const credentials = this.check(login, client)
      // The minimum delay starts after the hash, so a wrong password and a login that is too unusual are
      // refused at the same moment.
      await Promise.allSettled([credentials])
      const { user, loggedIn } = await this.withUniformRefusals(this.openSession(credentials, context))
      // Partly, if a remembered browser stood in for the second factor.
      await (skippedSecondFactor(user, loggedIn) ? counted.partlySucceeded() : counted.succeeded())
      return loggedIn
    } catch (error) {
      const isNotEnough = error instanceof ApiError && NOT_ENOUGH.has(error.code)
      await (isNotEnough ? counted.partlySucceeded() : counted.threw(error))
      throw error
    }
  }

  /**
   * The user with this password who may log in there. Unknown, disabled, wrong and out of scope are all
   * `INVALID_CREDENTIALS` after the same work. Throws `OWNER_LOGIN_BARRED` before that. Replaces an imported
   * hash.
   */
  private async check(login: TypedLogin, client: Client): Promise<LoginUser> {
    const { email, password, source } = login
    const site = { source, origin: client.origin }
    const user = await this.find(email)
    if (user && this.loginPolicy.isBarredOwner(user, site)) {
      this.noteFailure('refused', 'owner on a satellite', email, user, client)
      throw new ApiError('OWNER_LOGIN_BARRED')
    }
    const usableHash = user && !user.disabledAt ? user.passwordHash : null
    const isRight = await this.passwords.verify(usableHash, password, client)
    if (user && isRight && this.loginPolicy.isInScope(user, site))
      return this.withCurrentHash(user, login, client)
    this.noteFailure('failed', reasonOf(user, isRight), email, user, client)
    throw new ApiError('INVALID_CREDENTIALS')
  }

  /** Null if no user has this address. One query: round trips dominate login latency. */
  private async find(email: Email): Promise<LoginUser | null> {
    const [row] = await this.database.run(db =>
      db
        .select({
          ...getTableColumns(users),
          entitled: accounts.entitled,
          accountIdleSeconds: accounts.idleSeconds,
          handoffRequired: accounts.handoffRequired,
        })
        .from(users)
        .innerJoin(accounts, eq(accounts.id, users.accountId))
        .where(eq(users.email, email)),
    )
    return (row as LoginUser | undefined) ?? null
  }

  /**
   * The user, with a current hash instead of an imported or weaker one. Done before the login is recorded. Of
   * several concurrent first logins, one replaces the hash, and the others check again.
   */
  private async withCurrentHash(user: LoginUser, login: TypedLogin, client: Client): Promise<LoginUser> {
    if (!this.passwords.needsRehash(user.passwordHash as string)) return user
    const passwordHash = await this.passwords.hash(login.password, client)
    const isReplaced = await this.database.run(db => this.users.replaceHash(db, user, passwordHash))
    return isReplaced ? { ...user, passwordHash } : this.check(login, client)
  }

  /** Where logins may be refused as too unusual, the time of a refusal must not reveal that the password was right. */
  private withUniformRefusals<T>(work: Promise<T>): Promise<T> {
    return this.anomalyCheck.mayRefuse ? rejectedNoSooner(work) : work
  }

  private async openSession(credentials: Promise<LoginUser>, context: LoginContext) {
    const user = await credentials
    await this.requireNoHandoff(user, context)
    const proof = { methods: authMethods('pwd') }
    return { user, loggedIn: await this.sessions.openSession(user, proof, context) }
  }

  /**
   * Throws `HANDOFF_REQUIRED` for a user with the right password who must continue on the main site: if their account
   * lets them type their password nowhere else, or if they have a second factor. This reveals that the password is
   * right, so the user is mailed as about a login, and one that is too unusual gets `INVALID_CREDENTIALS`.
   */
  private async requireNoHandoff(user: LoginUser, { client, deviceId }: LoginContext): Promise<void> {
    const isSecondFactor = this.loginPolicy.requiresFactorHandoff(user, client.origin)
    if (!isSecondFactor && !(await this.loginPolicy.requiresHandoff(user, client.origin))) return
    const { id: userId, accountId, email } = user
    const reason = isSecondFactor ? 'second factor elsewhere' : 'hand-off required'
    this.noteFailure('refused', reason, email, user, client)
    await this.anomalyCheck.checkHandoffRequired({ userId, accountId }, deviceId, client)
    throw new ApiError('HANDOFF_REQUIRED')
  }

  private noteFailure(
    outcome: AuditOutcome,
    reason: string,
    email: Email,
    user: User | null,
    client: Client,
  ): void {
    const actor = { userId: user?.id, accountId: user?.accountId, client }
    this.auditLog.enqueue(auditEvent(actor, 'login', { reason, email }), outcome)
  }
}

/** Why these credentials were not taken, for the audit log. */
export function reasonOf(user: User | null, isRight: boolean): string {
  if (!user) return 'unknown user'
  if (user.disabledAt) return 'disabled'
  return isRight ? 'not invited to this site' : 'wrong password'
}

/** Whether a user who has a second factor was let in without it. */
function skippedSecondFactor({ hasSecondFactor }: User, { session }: LoggedIn): boolean {
  return hasSecondFactor && acrOf(session.amr) === ONE_FACTOR
}
