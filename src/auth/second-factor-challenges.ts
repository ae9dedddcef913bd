import { createHash } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { LoginAnomalyCheck } from '../anomalies/login-check.js'
import { RememberedDevices } from '../factors/remembered-devices.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { type OneTimeToken, OneTimeTokens } from '../platform/one-time-tokens.js'
import type { Source } from '../platform/permissions.js'
import type { Proof } from '../sessions/sessions.js'
import {
  type AuthMethod,
  type AuthMethods,
  acrOf,
  authMethods,
  namesOf,
  TWO_FACTORS,
} from '../tokens/access-tokens.js'
import type { EntitledUser, User } from '../users/user.js'
import { FactorCheck } from './factor-check.js'
import { type LoginContext, LoginPolicy } from './login-policy.js'

/** As long as passkeys' challenges; an authenticator app changes its code ten times in that time. */
const CHALLENGE_SECONDS = 5 * 60
const MAX_TRIES = 5

/** A login whose first step is done. */
export interface SecondFactorChallenge {
  readonly text: string
  readonly user: EntitledUser
  readonly source: Source
  /** What the first step proved. */
  readonly methods: AuthMethods
  /** The number of tries so far, including this one. */
  readonly tries: number
}

/** A type, not an interface, because it is stored as plain JSON. */
type ChallengeDetail = {
  readonly origin: string | null
  readonly source: Source
  readonly methods: readonly AuthMethod[]
  /** Of the password hash: a new password ends a login that was begun with the old one. */
  readonly passwordDigest: string
  readonly tries: number
}

/**
 * What connects the two steps of a login. The database has only their hashes; each is bound to the browser's
 * origin, and allows five tries within five minutes. Not to its network: an office with two providers may use
 * another one for each request.
 */
@Injectable()
export class SecondFactorChallenges {
  constructor(
    private readonly loginPolicy: LoginPolicy,
    private readonly devices: RememberedDevices,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly factors: FactorCheck,
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Whether what a user has proved is enough to log in. Returns the id of the remembered browser that the login rests
   * on, or null when the user has no second factor or has just used one. Otherwise throws `SECOND_FACTOR_REQUIRED`, with a
   * challenge for the second step, or `HANDOFF_REQUIRED` on pages where a second factor must not be typed, or where
   * the user could only use up recovery codes. A login that is too unusual is `INVALID_CREDENTIALS`, so that an
   * attacker does not learn that the password is right.
   */
  async requireEnough(user: User, { methods: proved }: Proof, context: LoginContext): Promise<string | null> {
    if (!user.hasSecondFactor || acrOf(proved) === TWO_FACTORS) return null
    const { source, client, deviceId, rememberedDevice } = context
    if (this.loginPolicy.requiresFactorHandoff(user, client.origin)) throw new ApiError('HANDOFF_REQUIRED')
    const remembered =
      source === 'main' && rememberedDevice ? await this.devices.recognize(user.id, rememberedDevice) : null
    if (remembered) return remembered
    const { id: userId, accountId } = user
    await this.anomalyCheck.checkFirstStep({ userId, accountId }, deviceId, client)
    throw await this.refusalWithChallenge(user, proved, context)
  }

  private async refusalWithChallenge(
    user: User,
    proved: AuthMethods,
    context: LoginContext,
  ): Promise<ApiError> {
    const { id: userId, accountId, email } = user
    const { client } = context
    const detail = { reason: 'second factor required', email }
    this.auditLog.enqueue(auditEvent({ userId, accountId, client }, 'login', detail), 'refused')
    const [challenge, methods] = await Promise.all([
      this.issue(user, proved, context),
      this.factors.usableAt(userId, client.origin),
    ])
    const isDeadEnd = methods.every(method => method === 'recovery')
    if (isDeadEnd && this.loginPolicy.isSatellite(client.origin)) return new ApiError('HANDOFF_REQUIRED')
    return new ApiError('SECOND_FACTOR_REQUIRED', { members: { challenge, methods } })
  }

  issue(
    user: User,
    methods: AuthMethods,
    { source, client }: Pick<LoginContext, 'source' | 'client'>,
  ): Promise<string> {
    const { id: userId, accountId, email } = user
    const detail: ChallengeDetail = {
      origin: client.origin,
      source,
      methods: namesOf(methods),
      passwordDigest: digestOf(user),
      tries: 0,
    }
    const token = { purpose: 'second-factor', email, userId, accountId, detail } as const
    return this.database.run(db => this.tokens.issue(db, { ...token, lifetimeSeconds: CHALLENGE_SECONDS }))
  }

  /**
   * The login that this text continues; uses up one of its tries. Throws `CHALLENGE_EXPIRED` for a text that is
   * unknown, was used or tried five times, is from elsewhere, or whose user has since been changed;
   * `TOO_MANY_ATTEMPTS` for too many of those.
   */
  async take(text: string, client: Client): Promise<SecondFactorChallenge> {
    const limits = { where: { origin: client.origin }, maxTries: MAX_TRIES }
    const found = await this.tokens.countTry('second-factor', text, limits)
    if (!found) await this.tokens.countGuess(client)
    const user = found?.user as unknown as EntitledUser
    if (!found || !this.isStillValid(user, found.token, client)) throw new ApiError('CHALLENGE_EXPIRED')
    const { token } = found
    const { source, methods, tries } = token.detail as ChallengeDetail
    return { text, user, source, methods: authMethods(...methods), tries }
  }

  /** Whether the login was completed by another request, or cancelled. An expired login is not done. */
  async isDone({ text }: SecondFactorChallenge): Promise<boolean> {
    return !(await this.tokens.isUnused(text))
  }

  /**
   * Uses the challenge up, in the transaction of what it allows. Throws `CHALLENGE_EXPIRED` when another request
   * was faster.
   */
  async use(transaction: Db, { text }: SecondFactorChallenge): Promise<void> {
    if (!(await this.tokens.remove(transaction, 'second-factor', text)))
      throw new ApiError('CHALLENGE_EXPIRED')
  }

  private isStillValid(user: User, { detail }: OneTimeToken, { origin }: Client): boolean {
    const isSame = digestOf(user) === (detail as ChallengeDetail).passwordDigest
    return isSame && !user.disabledAt && this.loginPolicy.isInScope(user, { origin })
  }
}

function digestOf({ passwordHash }: User): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
}
