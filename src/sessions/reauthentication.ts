import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { ApiError, type ErrorCode } from '../platform/errors/api-error.js'
import { Clock, secondsAfter, unixSeconds } from '../platform/time.js'
import {
  type AuthMethods,
  acrOf,
  hasSecondFactor,
  isEnough,
  namesOf,
  ONE_FACTOR,
  type RequiredAuthentication,
  stepUpChallenge,
  TWO_FACTORS,
  withMethods,
} from '../tokens/access-tokens.js'
import type { RecordedChanges } from './changes.js'
import type { Session } from './session.js'
import { SessionStore } from './session-store.js'

/**
 * Whether a session's user has proved their identity recently: again within the session, or at the login of a main
 * session. What that costs: docs/decisions/sensitive-changes-ask-again.md.
 */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly store: SessionStore,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * Stamps the session, whose user has just proved `methods`, in the transaction that uses them up; also returns until
   * when it is valid. Throws `SESSION_NOT_FOUND` when the session has ended.
   */
  async stamp(
    transaction: Db,
    { sid, amr }: Pick<Session, 'sid' | 'amr'>,
    methods: AuthMethods,
  ): Promise<RecordedChanges & { readonly until: Date }> {
    const now = this.clock.now()
    // Stores keep times in whole seconds.
    const at = new Date(unixSeconds(now) * 1000)
    const stamp = { at, methods, movesAuthTime: movesAuthTime(amr, methods) }
    if (!(await this.store.stampReauthentication(transaction, sid, stamp, now)))
      throw new ApiError('SESSION_NOT_FOUND')
    const changed = { sids: [sid], userIds: [], accountIds: [] }
    return { changed, ended: 0, until: this.expiresAt(at) }
  }

  /** When the re-authentication made at `at` expires. */
  expiresAt(at: Date): Date {
    return secondsAfter(at, this.settings.reauthenticationTtlSeconds)
  }

  /** Whether there is a recent one. */
  isRecent({ reauthenticatedAt }: Session): boolean {
    return reauthenticatedAt !== null && this.clock.now() < this.expiresAt(reauthenticatedAt)
  }

  /**
   * The satellite that a session is confined to; null when it may see everything, as sessions of the main
   * site and of apps may. A satellite is a customer's page: it must not learn where else its visitors go, or
   * from which addresses, unless the user has recently re-authenticated.
   */
  confinementOf(session: Session): string | null {
    return session.source === 'main' || this.isRecent(session) ? null : session.origin
  }

  /** Throws `REAUTHENTICATION_REQUIRED` (401, RFC 9470 §3) when there is no recent one. */
  require(session: Session): void {
    const maxAgeSeconds = this.settings.reauthenticationTtlSeconds
    if (!this.isRecent(session)) throw refusal('REAUTHENTICATION_REQUIRED', { maxAgeSeconds })
  }

  /**
   * Like {@link require}, for what could hand the account to another user. `STEP_UP_REQUIRED` for a user who
   * has a second factor and has not used it as recently: otherwise an attacker who knows the password, in a
   * browser that is remembered or was left open, could do it.
   */
  requireWithSecondFactor(
    session: Session,
    { hasSecondFactor }: { readonly hasSecondFactor: boolean },
  ): void {
    this.require(session)
    const maxAgeSeconds = this.settings.reauthenticationTtlSeconds
    if (hasSecondFactor && !this.isSecondFactorRecent(session))
      throw refusal('STEP_UP_REQUIRED', { acr: TWO_FACTORS, maxAgeSeconds })
  }

  /** Like {@link requireWithSecondFactor}; looks up whether the user has one, where that matters. */
  async requireLookingUpFactor(session: Session): Promise<void> {
    this.require(session)
    if (this.isSecondFactorRecent(session)) return
    const [user] = await this.database.run(db =>
      db.select({ hasSecondFactor: users.hasSecondFactor }).from(users).where(eq(users.id, session.userId)),
    )
    this.requireWithSecondFactor(session, { hasSecondFactor: user?.hasSecondFactor ?? false })
  }

  /**
   * Throws `STEP_UP_REQUIRED` (401, RFC 9470 §3) unless a second factor was used in the last `maxAgeSeconds`,
   * at the login or at a re-authentication. The answer's `methods` are what the user can use for that; they
   * are empty for a user without a second factor.
   */
  requireSecondFactorWithin({ amr, authTime }: Session, maxAgeSeconds: number): void {
    const required = { acr: TWO_FACTORS, maxAgeSeconds }
    const proved = { amr: namesOf(amr), acr: acrOf(amr), authTime: unixSeconds(authTime) }
    if (!isEnough(proved, required, unixSeconds(this.clock.now())))
      throw refusal('STEP_UP_REQUIRED', required)
  }

  /** Whether two factors were proved, the second one as recently as a re-authentication must be. */
  isSecondFactorRecent({ amr, authTime }: Session): boolean {
    const isRecent = this.clock.now() < secondsAfter(authTime, this.settings.reauthenticationTtlSeconds)
    return acrOf(amr) === TWO_FACTORS && isRecent
  }
}

function refusal(code: ErrorCode, required: RequiredAuthentication): ApiError {
  return new ApiError(code, { headers: { 'WWW-Authenticate': stepUpChallenge(required) } })
}

/**
 * When a session has two factors, its time moves only if the second one was among those just proved: it must
 * never claim that a second factor was used when only a password was.
 */
function movesAuthTime(amr: AuthMethods, methods: AuthMethods): boolean {
  return hasSecondFactor(methods) || acrOf(withMethods(amr, methods)) === ONE_FACTOR
}
