import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import type { DeviceId } from '../anomalies/known-devices.js'
import { allowsUser, type Satellite } from '../cors/satellite.js'
import { brandingOf, matchesPattern, Satellites } from '../cors/satellites.js'
import { NO_MAILS } from '../mail/mail.js'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import type { Branding } from '../platform/database/schema/columns.js'
import { satellites } from '../platform/database/schema/satellites.js'
import { ApiError, type ErrorCode, isRefusal } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { OneTimeTokens } from '../platform/one-time-tokens.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock } from '../platform/time.js'
import { SessionChanges } from '../sessions/changes.js'
import type { Session, SessionHandle } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { SessionStore } from '../sessions/session-store.js'
import { SessionLinks } from '../sessions/sessions.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { type LoggedIn, type LoginBasis, LoginSessions } from './login.js'
import { LoginPolicy } from './login-policy.js'

const CODE_SECONDS = 60
/** How long a used code is recognised. RFC 6749 §4.1.2: its second use revokes the first login. */
const USED_CODE_SECONDS = 10 * 60

export const HANDOFF_ACCESS = ['allowed', 'not_invited', 'suspended', 'access_denied'] as const
/** `access_denied`: the satellite accepts passwords only. */
export type HandoffAccess = (typeof HANDOFF_ACCESS)[number]

const REFUSALS: Readonly<Record<Exclude<HandoffAccess, 'allowed'>, ErrorCode>> = {
  not_invited: 'NOT_INVITED',
  suspended: 'SATELLITE_SUSPENDED',
  access_denied: 'HANDOFF_DISABLED',
}

/** A satellite as shown by the page that hands a user off to it. */
interface HandoffDestination {
  /** The origin that was asked for, never the pattern of a preview. */
  readonly origin: string
  /** Only the host if the user is not invited: other accounts must not choose what they are shown. */
  readonly name: string
  readonly branding: Branding | null
  readonly access: HandoffAccess
}

/** What a code was made for. */
interface HandoffCode {
  readonly userId: string
  readonly accountId: string
  /** The satellite's page that may use it. */
  readonly origin: string
  /** base64url SHA-256 of the verifier that this page keeps (RFC 7636, S256). */
  readonly challenge: string
  readonly parentSid: SessionHandle
}

/** A code that has been used; `childSid` is the session that it opened. */
interface UsedHandoffCode extends Pick<HandoffCode, 'userId' | 'accountId'> {
  readonly childSid: SessionHandle
}

/** The half of the main site: shows where a user is about to go, and gives their browser a code for it. */
@Injectable()
export class HandoffCodes {
  constructor(
    private readonly users: Users,
    private readonly satellites: Satellites,
    private readonly loginPolicy: LoginPolicy,
    private readonly links: SessionLinks,
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SATELLITE_NOT_FOUND`; `SESSION_NOT_FOUND` when the user is gone. */
  async describe({ userId }: SessionActor, origin: string) {
    const { user, destination } = await this.find(userId, origin)
    const isKnown = await this.links.isKnown(userId, origin)
    return { ...destination, email: user.email, isKnown }
  }

  /**
   * A new code, for 60 s, for the page of this satellite that holds the challenge's verifier. Throws
   * `SATELLITE_NOT_FOUND`, `NOT_INVITED`, `SATELLITE_SUSPENDED`, `HANDOFF_DISABLED` or `TOO_MANY_ATTEMPTS`.
   */
  async issue(
    actor: SessionActor,
    { satellite, challenge }: { satellite: string; challenge: string },
  ): Promise<string> {
    const { userId, accountId, sid, client } = actor
    const { user, destination } = await this.find(userId, satellite)
    if (destination.access !== 'allowed') {
      const detail = { satellite, reason: destination.access }
      this.auditLog.enqueue(auditEvent(actor, 'handoff.code', detail), 'refused')
      throw new ApiError(REFUSALS[destination.access])
    }
    const counted = await this.rateLimiter.count({ kind: 'handoff', subject: sid, client, actor })
    return counted.refundIfRejected(
      this.database.transaction(async transaction => {
        await this.auditLog.record(transaction, auditEvent(actor, 'handoff.code', { satellite }))
        return this.tokens.issue(transaction, {
          purpose: 'handoff',
          email: user.email,
          userId,
          accountId,
          detail: { origin: satellite, challenge, parentSid: sid },
          lifetimeSeconds: CODE_SECONDS,
        })
      }),
    )
  }

  /**
   * The user, and the satellite as they may see it. Throws `SATELLITE_NOT_FOUND` for an origin that belongs to no
   * satellite, or to a pending one, and `SESSION_NOT_FOUND` when the user is gone.
   */
  private async find(
    userId: string,
    origin: string,
  ): Promise<{ user: User; destination: HandoffDestination }> {
    requireOrigin(origin)
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    return { user, destination: await this.destinationOf(user, origin) }
  }

  private async destinationOf(user: User, origin: string): Promise<HandoffDestination> {
    const active = this.satellites.find(origin)
    if (!active) return this.suspendedOf(user, origin)
    const access = await this.accessTo(active, user, origin)
    // Satellites of ALLOWED_ORIGINS belong to no account and have no branding.
    const isShown = access !== 'not_invited' && active.accountId !== null
    const branding = isShown ? await brandingOf(this.database, active.id) : null
    return { origin, ...(branding ?? withoutBranding(origin)), access }
  }

  private async accessTo(satellite: Satellite, user: User, origin: string): Promise<HandoffAccess> {
    if (!allowsUser(satellite, user)) return 'not_invited'
    if (satellite.loginMode !== 'password' || needsHandoff(satellite, user)) return 'allowed'
    // Otherwise an owner whom their account or the service keeps from typing a password could not log in at all.
    const mayNotType =
      this.loginPolicy.isBarredOwner(user, { source: 'satellite', origin }) ||
      (await this.loginPolicy.requiresHandoff(user, origin))
    return mayNotType ? 'allowed' : 'access_denied'
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
    // Other accounts need not know that it exists.
    if (found?.accountId !== user.accountId) throw new ApiError('SATELLITE_NOT_FOUND')
    if (!allowsUser(found, user)) return { origin, ...withoutBranding(origin), access: 'not_invited' }
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

/** The half of the satellite: logs a user in with a code. */
@Injectable()
export class HandoffRedemption {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly users: Users,
    private readonly satellites: Satellites,
    private readonly store: SessionStore,
    private readonly links: SessionLinks,
    private readonly loginSessions: LoginSessions,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a session for the code, which is then used up. Throws `HANDOFF_CODE_INVALID` for anything wrong, which
   * leaves the code usable, and `TOO_MANY_ATTEMPTS` after too many of those. Sending a used code ends the session
   * that it opened, no matter who sends it.
   */
  async redeem(
    {
      code: text,
      verifier,
      deviceId,
    }: { code: string; verifier: string; deviceId?: DeviceId | null | undefined },
    client: Client,
  ): Promise<LoggedIn> {
    const token = await this.tokens.find(['handoff', 'handoff-used'], text, client)
    // Looking it up has already counted the guess.
    if (!token) return this.refuse('no such code', { client })
    const { userId, accountId } = token
    const found = { ...token.detail, userId, accountId } as HandoffCode | UsedHandoffCode
    if ('childSid' in found) return this.refuseReplay(found, client)
    // What was true when the code was issued may have changed.
    if (client.origin !== found.origin) return this.refuseWrong('other origin', found, client)
    if (!isVerifier(verifier, found)) return this.refuseWrong('wrong verifier', found, client)
    const user = await this.users.find(found.userId)
    if (!user || user.disabledAt) return this.refuseWrong('disabled', found, client)
    if (!this.isOpen(user, found.origin))
      return this.refuseWrong('satellite closed to its user', found, client)
    const parent = await this.store.find(found.parentSid, this.clock.now())
    if (!parent) return this.refuseWrong('main session ended', found, client)
    const proof = { methods: parent.amr, inheritedAuthTime: parent.authTime }
    const context = { source: 'satellite', client, sessionIds: [], deviceId } as const
    try {
      return await this.loginSessions.openSession(user, proof, context, this.basisOf(text, parent))
    } catch (error) {
      throw isRefusal(error) ? new ApiError('HANDOFF_CODE_INVALID') : error
    }
  }

  /**
   * Whether the user may be handed off to an active satellite of this origin. Reads no store, so it trusts that
   * an owner's code was issued for a satellite where they must not type a password.
   */
  private isOpen(user: User, origin: string): boolean {
    const active = this.satellites.find(origin)
    const acceptsOnlyPasswords = active?.loginMode === 'password' && user.role !== 'owner'
    return (
      active !== null && allowsUser(active, user) && (!acceptsOnlyPasswords || needsHandoff(active, user))
    )
  }

  /**
   * The parent is live, the code is used up, and the child is linked to its parent. User, parent and code are
   * locked in the same order as everywhere else. A request that ends the parent waits, and then finds the child.
   */
  private basisOf(text: string, parent: Session): LoginBasis {
    return {
      expiresBy: parent.expiresAt,
      detail: { handoffFrom: parent.sid },
      use: async (transaction, child) => {
        const isLive = await this.store.isOpen(transaction, parent.sid, { lock: true })
        const used = {
          purpose: 'handoff-used',
          detail: { childSid: child.sid },
          lifetimeSeconds: USED_CODE_SECONDS,
        } as const
        if (!isLive || !(await this.tokens.turnInto(transaction, 'handoff', text, used)))
          throw new ApiError('HANDOFF_CODE_INVALID')
        await this.links.add(transaction, child, parent)
        return NO_MAILS
      },
    }
  }

  /** Ends the session that the code opened: either its holder or the sender of this request has stolen the code. */
  private async refuseReplay(
    { userId, accountId, childSid }: UsedHandoffCode,
    client: Client,
  ): Promise<never> {
    const actor = { userId, accountId, sid: childSid, client }
    await this.changes.commitChange({ kind: 'end', sid: childSid }, auditEvent(actor, 'handoff.replay'))
    await this.tokens.countGuess(client)
    return this.refuse('used before', actor)
  }

  private async refuseWrong(
    reason: string,
    { userId, accountId }: HandoffCode,
    client: Client,
  ): Promise<never> {
    await this.tokens.countGuess(client)
    return this.refuse(reason, { userId, accountId, client })
  }

  private refuse(reason: string, actor: Actor): never {
    this.auditLog.enqueue(auditEvent(actor, 'handoff.redeem', { reason }), 'failed')
    throw new ApiError('HANDOFF_CODE_INVALID')
  }
}

/** Where a satellite takes answers that do not go back to the page that asked. */
const CALLBACK_PATH = '/handoff-callback'

/**
 * Where the browser takes the code: to a page of the satellite, which may be any. Then its first half is in the query
 * and the rest in the fragment, since an attacker who chose the page, and knows the verifier, could learn either there,
 * but not both. A page that redirects passes on the fragment, to wherever it leads (RFC 9700 §4.1.1), and its query is in
 * the `Referer` of what it loads, and in logs. `/handoff-callback` does neither, and gets the whole code in the fragment.
 * Half a code has 126 bits.
 */
export function addressWithCode(
  code: string,
  {
    satellite,
    state,
    path,
  }: { readonly satellite: string; readonly state: string; readonly path?: string | undefined },
  iss: string,
): string {
  if (path === undefined) return `${satellite}${CALLBACK_PATH}#${new URLSearchParams({ code, state, iss })}`
  const middle = Math.floor(code.length / 2)
  const [page, query] = path.split(/\?(.*)/s) as [string, string?]
  // In front, for pages that redirect to whatever their query is.
  const asked = [`mainstay=${code.slice(0, middle)}`, ...(query ? [query] : [])].join('&')
  return `${satellite}${page}?${asked}#${new URLSearchParams({ code: code.slice(middle), state, iss })}`
}

/** Throws `SATELLITE_NOT_FOUND` for text that no browser sends as an origin, so that nothing is looked up for it. */
export function requireOrigin(text: string): void {
  if (!URL.canParse(text) || new URL(text).origin !== text) throw new ApiError('SATELLITE_NOT_FOUND')
}

function withoutBranding(origin: string): Pick<HandoffDestination, 'name' | 'branding'> {
  return { name: new URL(origin).host, branding: null }
}

/** Whether a user could not use their second factor on pages of the satellite. */
function needsHandoff(satellite: Satellite, user: User): boolean {
  return user.hasSecondFactor && satellite.secondFactor === 'handoff'
}

/** Whether the code's challenge was made from this verifier. */
function isVerifier(verifier: string, { challenge }: HandoffCode): boolean {
  const made = createHash('sha256').update(verifier).digest('base64url')
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}
