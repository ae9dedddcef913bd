import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import { admits, type Satellite } from '../cors/satellite.js'
import { brandingOf } from '../cors/satellite-branding.js'
import { matchesPattern } from '../cors/satellite-map.js'
import { Satellites } from '../cors/satellites.js'
import type { Actor } from '../platform/audit/actor.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Clock } from '../platform/clock/clock.js'
import type { Branding } from '../platform/database/columns/branding.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { satellites } from '../platform/database/schema/satellites.js'
import { ApiError, isRefusal } from '../platform/errors/api-error.js'
import type { ErrorCode } from '../platform/errors/error-codes.js'
import type { Client } from '../platform/http/client.js'
import { OneTimeTokens } from '../platform/links/one-time-tokens.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Session, SessionHandle } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { SessionLinks } from '../sessions/session-links.js'
import { SessionStore } from '../sessions/stores/session-store.js'
import { UserSessions } from '../sessions/user-sessions.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import type { HandoffBody, HandoffDestinationAnswer, RedeemBody } from './handoff.controller.js'
import { type LoggedIn, type LoginConfirmation, LoginSessions } from './login.js'
import { LoginPolicy } from './login-policy.js'

const LIFETIME_SECONDS = 60
/** How long a used code is recognised. RFC 6749 §4.1.2: its second use revokes the first login. */
const REMEMBERED_SECONDS = 10 * 60

/** What a code was made for. */
export interface HandoffCode {
  readonly userId: string
  readonly accountId: string
  /** The satellite's page that may use it. */
  readonly origin: string
  /** base64url SHA-256 of the verifier that this page keeps (RFC 7636, S256). */
  readonly challenge: string
  readonly parentSid: SessionHandle
}

/** A code that has been used; `childSid` is the session that it opened. */
export interface UsedHandoffCode extends Pick<HandoffCode, 'userId' | 'accountId'> {
  readonly childSid: SessionHandle
}

/** The codes that carry a login to a satellite; the database has only their hashes. */
@Injectable()
export class HandoffCodes {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** A new code, for 60 s. */
  issue(actor: SessionActor, { email }: User, origin: string, challenge: string): Promise<string> {
    const { userId, accountId, sid: parentSid } = actor
    return this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, auditEvent(actor, 'handoff.code', { satellite: origin }))
      return this.tokens.issue(transaction, {
        purpose: 'handoff',
        email,
        userId,
        accountId,
        detail: { origin, challenge, parentSid },
        lifetimeSeconds: LIFETIME_SECONDS,
      })
    })
  }

  /**
   * A code that can be used, or has been; null for any other text. Throws like {@link OneTimeTokens.find}.
   */
  async find(text: string, client: Client): Promise<HandoffCode | UsedHandoffCode | null> {
    const token = await this.tokens.find(['handoff', 'handoff-used'], text, client)
    if (!token) return null
    const { userId, accountId, detail } = token
    return { ...detail, userId, accountId } as HandoffCode | UsedHandoffCode
  }

  /** Uses the code up for this session; false when it has been used or has expired in the meantime. */
  use(transaction: Db, text: string, { sid: childSid }: Session): Promise<boolean> {
    return this.tokens.turnInto(transaction, 'handoff', text, {
      purpose: 'handoff-used',
      detail: { childSid },
      lifetimeSeconds: REMEMBERED_SECONDS,
    })
  }
}

export function isUsed(code: HandoffCode | UsedHandoffCode): code is UsedHandoffCode {
  return 'childSid' in code
}

/** Whether the code's challenge was made from this verifier. */
export function isVerifier(verifier: string, { challenge }: HandoffCode): boolean {
  const made = createHash('sha256').update(verifier).digest('base64url')
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}

export const HANDOFF_ACCESS = ['allowed', 'not_invited', 'suspended', 'access_denied'] as const
/** `access_denied`: the satellite accepts passwords only. */
export type HandoffAccess = (typeof HANDOFF_ACCESS)[number]

/** A satellite as shown by the page that hands a user off to it. */
export interface HandoffDestination {
  /** The origin that was asked for, never the pattern of a preview. */
  readonly origin: string
  /** Only the host if the user is not invited: strangers must not choose what we show. */
  readonly name: string
  readonly branding: Branding | null
  readonly access: HandoffAccess
}

/** Where users of the main site can be handed off to. */
@Injectable()
export class HandoffDestinations {
  constructor(
    private readonly satellites: Satellites,
    private readonly loginPolicy: LoginPolicy,
    private readonly users: Users,
    private readonly database: Database,
  ) {}

  /**
   * The user, and the satellite as they may see it. Throws `SATELLITE_NOT_FOUND` for an origin that belongs to no
   * satellite, or to a pending one, and `SESSION_NOT_FOUND` when the user is gone.
   */
  async find(userId: string, origin: string): Promise<{ user: User; destination: HandoffDestination }> {
    requireOrigin(origin)
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    return { user, destination: await this.destinationOf(user, origin) }
  }

  /**
   * Whether the user may be handed off to an active satellite of this origin. Reads no store, so it trusts that
   * an owner's code was issued for a satellite where they must not type a password.
   */
  isOpen(user: User, origin: string): boolean {
    const active = this.satellites.find(origin)
    const acceptsOnlyPasswords = active?.loginMode === 'password' && user.role !== 'owner'
    return active !== null && admits(active, user) && (!acceptsOnlyPasswords || needsHandoff(active, user))
  }

  private async destinationOf(user: User, origin: string): Promise<HandoffDestination> {
    const active = this.satellites.find(origin)
    if (!active) return this.suspendedOf(user, origin)
    const access = await this.accessTo(active, user, origin)
    const branding = access === 'not_invited' ? null : await this.brandingOf(active)
    return { origin, ...(branding ?? withoutBranding(origin)), access }
  }

  private async accessTo(satellite: Satellite, user: User, origin: string): Promise<HandoffAccess> {
    if (!admits(satellite, user)) return 'not_invited'
    if (satellite.loginMode !== 'password' || needsHandoff(satellite, user)) return 'allowed'
    // Otherwise an owner whom their account or the service keeps from typing a password could not log in at all.
    const mayNotType =
      this.loginPolicy.isBarredOwner(user, { source: 'satellite', origin }) ||
      (await this.loginPolicy.requiresHandoff(user, origin))
    return mayNotType ? 'allowed' : 'access_denied'
  }

  /** Null for satellites of ALLOWED_ORIGINS, which have none. */
  private async brandingOf({ id, accountId }: Satellite) {
    return accountId === null ? null : brandingOf(this.database, id)
  }

  /** Previews are looked for in the user's own account only. */
  private async suspendedOf(user: User, origin: string): Promise<HandoffDestination> {
    const isThere = and(eq(satellites.origin, origin), eq(satellites.kind, 'production'))
    const rows = await this.database.run(db =>
      db
        .select()
        .from(satellites)
        .where(and(isThere, eq(satellites.state, 'suspended'))),
    )
    const found = rows[0] ?? (await this.findSuspendedPreview(user, origin))
    // Nobody else has to know that it exists.
    if (found?.accountId !== user.accountId) throw new ApiError('SATELLITE_NOT_FOUND')
    if (!admits(found, user)) return { origin, ...withoutBranding(origin), access: 'not_invited' }
    return { origin, name: found.name, branding: found.branding, access: 'suspended' }
  }

  private async findSuspendedPreview({ accountId }: User, origin: string) {
    const isSuspended = and(eq(satellites.state, 'suspended'), eq(satellites.kind, 'preview'))
    const rows = await this.database.run(db =>
      db
        .select()
        .from(satellites)
        .where(and(eq(satellites.accountId, accountId), isSuspended)),
    )
    return rows.find(row => matchesPattern(origin, row.origin))
  }
}

/** Whether a user could not use their second factor on pages of the satellite. */
function needsHandoff(satellite: Satellite, user: User): boolean {
  return user.hasSecondFactor && satellite.secondFactor === 'handoff'
}

/** Throws `SATELLITE_NOT_FOUND` for text that no browser sends as an origin, so that nothing is looked up for it. */
export function requireOrigin(text: string): void {
  if (!URL.canParse(text) || new URL(text).origin !== text) throw new ApiError('SATELLITE_NOT_FOUND')
}

function withoutBranding(origin: string): Pick<HandoffDestination, 'name' | 'branding'> {
  return { name: new URL(origin).host, branding: null }
}

/** Who is to be logged in on a satellite, and by which session of the main site. */
export interface EligibleHandoff {
  readonly user: User
  readonly parent: Session
}

/** Whether a code may be redeemed now; what was true when it was issued may have changed. */
@Injectable()
export class HandoffEligibility {
  constructor(
    private readonly destinations: HandoffDestinations,
    private readonly users: Users,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** Who logs in with the code; or why nobody may, for the audit log. */
  async check(
    code: HandoffCode,
    verifier: string,
    client: Client,
  ): Promise<EligibleHandoff | { readonly refusal: string }> {
    if (client.origin !== code.origin) return { refusal: 'other origin' }
    if (!isVerifier(verifier, code)) return { refusal: 'wrong verifier' }
    const user = await this.users.find(code.userId)
    if (!user || user.disabledAt) return { refusal: 'disabled' }
    if (!this.destinations.isOpen(user, code.origin)) return { refusal: 'satellite closed to its user' }
    const parent = await this.sessions.find(code.parentSid, this.clock.now())
    return parent ? { user, parent } : { refusal: 'main session ended' }
  }
}

/** Uses up a hand-off code, and links the sessions, when the login is recorded. */
@Injectable()
export class HandoffConfirmation {
  constructor(
    private readonly codes: HandoffCodes,
    private readonly userSessions: UserSessions,
    private readonly links: SessionLinks,
    private readonly database: Database,
  ) {}

  /**
   * In one transaction: the code is used up, the parent is live, and the child is linked to it. User, parent and
   * code are locked in the same order as everywhere else. A request that ends the parent waits, and then finds
   * the child.
   */
  prepare(code: string, parent: Session): LoginConfirmation {
    return {
      expiresBy: parent.expiresAt,
      detail: { handoffFrom: parent.sid },
      confirm: (child, record) =>
        this.database.transaction(async transaction => {
          const recorded = await record(transaction)
          const isLive = await this.userSessions.hasLocked(transaction, parent.sid)
          if (!isLive || !(await this.codes.use(transaction, code, child)))
            throw new ApiError('HANDOFF_CODE_INVALID')
          await this.links.add(transaction, child, parent)
          return recorded
        }),
    }
  }
}

/** Refuses codes, always with the same error. */
@Injectable()
export class HandoffRefusals {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /** Looking up the code has already counted the guess. */
  unknown(client: Client): never {
    return this.refuse('no such code', { client })
  }

  async wrong(reason: string, { userId, accountId }: HandoffCode, client: Client): Promise<never> {
    await this.tokens.countGuess(client)
    return this.refuse(reason, { userId, accountId, client })
  }

  /**
   * Ends the session that the code opened: either its holder or the sender of this request has stolen the
   * code.
   */
  async replayed({ userId, accountId, childSid }: UsedHandoffCode, client: Client): Promise<never> {
    const actor = { userId, accountId, sid: childSid, client }
    await this.changes.commitChange({ kind: 'end', sid: childSid }, auditEvent(actor, 'handoff.replay'))
    await this.tokens.countGuess(client)
    return this.refuse('used before', actor)
  }

  private refuse(reason: string, actor: Actor): never {
    this.auditLog.enqueue(auditEvent(actor, 'handoff.redeem', { reason }), 'failed')
    throw new ApiError('HANDOFF_CODE_INVALID')
  }
}

const REFUSALS: Readonly<Record<Exclude<HandoffAccess, 'allowed'>, ErrorCode>> = {
  not_invited: 'NOT_INVITED',
  suspended: 'SATELLITE_SUSPENDED',
  access_denied: 'HANDOFF_DISABLED',
}

/** Hands a session of the main site off to satellites. */
@Injectable()
export class HandoffService {
  constructor(
    private readonly destinations: HandoffDestinations,
    private readonly codes: HandoffCodes,
    private readonly links: SessionLinks,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SATELLITE_NOT_FOUND`; `SESSION_NOT_FOUND` when the user is gone. */
  async describe({ userId }: SessionActor, origin: string): Promise<Omit<HandoffDestinationAnswer, 'iss'>> {
    const { user, destination } = await this.destinations.find(userId, origin)
    const isKnown = await this.links.isKnown(userId, origin)
    return { ...destination, email: user.email, isKnown }
  }

  /**
   * A code for the page of this satellite that holds the challenge's verifier. Throws `SATELLITE_NOT_FOUND`,
   * `NOT_INVITED`, `SATELLITE_SUSPENDED`, `HANDOFF_DISABLED` or `TOO_MANY_ATTEMPTS`.
   */
  async issueCode(actor: SessionActor, { satellite, challenge }: HandoffBody): Promise<string> {
    const { sid, client } = actor
    const { user, destination } = await this.destinations.find(actor.userId, satellite)
    if (destination.access !== 'allowed') {
      const detail = { satellite, reason: destination.access }
      this.auditLog.enqueue(auditEvent(actor, 'handoff.code', detail), 'refused')
      throw new ApiError(REFUSALS[destination.access])
    }
    const counted = await this.rateLimiter.count({ kind: 'handoff', subject: sid, client, actor })
    return counted.refundIfRejected(this.codes.issue(actor, user, satellite, challenge))
  }
}

/** Logs in on a satellite with a code from the main site. */
@Injectable()
export class HandoffRedemptionService {
  constructor(
    private readonly codes: HandoffCodes,
    private readonly eligibility: HandoffEligibility,
    private readonly confirmation: HandoffConfirmation,
    private readonly sessions: LoginSessions,
    private readonly refusals: HandoffRefusals,
  ) {}

  /**
   * Opens a session for the code, which is then used up. Throws `HANDOFF_CODE_INVALID` for anything wrong, which
   * leaves the code usable, and `TOO_MANY_ATTEMPTS` after too many of those. Sending a used code ends the session
   * that it opened, whoever sends it.
   */
  async redeem({ code: text, verifier, deviceId }: RedeemBody, client: Client): Promise<LoggedIn> {
    const code = await this.codes.find(text, client)
    if (!code) return this.refusals.unknown(client)
    if (isUsed(code)) return this.refusals.replayed(code, client)
    const checked = await this.eligibility.check(code, verifier, client)
    if ('refusal' in checked) return this.refusals.wrong(checked.refusal, code, client)
    const context = { source: 'satellite', client, sessionIds: [], deviceId } as const
    try {
      const { user, parent } = checked
      const proof = { methods: parent.amr, inheritedAuthTime: parent.authTime }
      return await this.sessions.admit(user, proof, context, this.confirmation.prepare(text, parent))
    } catch (error) {
      throw isRefusal(error) ? new ApiError('HANDOFF_CODE_INVALID') : error
    }
  }
}
