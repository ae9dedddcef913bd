import { Injectable } from '@nestjs/common'
import type { DeviceId } from '../anomalies/known-devices.js'
import { allowsUser, type Satellite } from '../cors/satellite.js'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import type { ErrorCode } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import type { Source } from '../platform/permissions.js'
import type { Session, SessionId } from '../sessions/session.js'
import { type Account, Accounts } from '../users/accounts.js'
import type { User } from '../users/user.js'

/** Where a user logs in: the kind of session, and the page it comes from (null outside browsers). */
export interface LoginSite {
  readonly source: Source
  readonly origin: string | null
}

/** Where a login comes from, and what the client sends with it. */
export interface LoginContext {
  readonly source: Source
  readonly client: Client
  /** The sessions that the browser already had. */
  readonly sessionIds: readonly SessionId[]
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
  /** The value of the remembered device's cookie; main site only. */
  readonly rememberedDevice?: string | null
}

/** Where a session began, and where its client is now. */
interface EntryContext extends Pick<Session, 'source' | 'origin'> {
  readonly client: Pick<Client, 'origin'>
}

/** Who may log in where, and on which pages users may enter passwords and codes. */
@Injectable()
export class LoginPolicy {
  constructor(
    private readonly satellites: Satellites,
    private readonly accounts: Accounts,
    private readonly settings: Settings,
  ) {}

  /**
   * Whether the user may log in there. A user who is limited to some satellites must come from one of them, or
   * from the main site, which can hand them off; so not from a client without an Origin, such as the mobile app.
   */
  isInScope(user: Pick<User, 'accountId' | 'satellites'>, { origin }: Pick<LoginSite, 'origin'>): boolean {
    if (origin === null) return user.satellites === null
    if (origin === this.settings.mainOrigin) return user.satellites?.length !== 0
    const satellite = this.satellites.find(origin)
    return satellite !== null && allowsUser(satellite, user)
  }

  /**
   * Whether an owner is barred from entering a password there: anywhere but on the main site, if the setting
   * says so. Without an Origin too, because a customer's server could pass on what was typed on its page.
   */
  isBarredOwner({ role }: Pick<User, 'role'>, { source, origin }: LoginSite): boolean {
    const { mainOrigin, mayOwnersUseSatellites } = this.settings
    return role === 'owner' && source === 'satellite' && origin !== mainOrigin && !mayOwnersUseSatellites
  }

  /**
   * What a login there refuses the right password of this user with, before it asks for a second factor; null where it
   * does not.
   */
  async refusalOfLogin(user: User, site: LoginSite): Promise<ErrorCode | null> {
    if (this.isBarredOwner(user, site)) return 'OWNER_LOGIN_BARRED'
    if (user.disabledAt || !this.isInScope(user, site)) return 'INVALID_CREDENTIALS'
    return (await this.requiresHandoff(user, site.origin)) ? 'HANDOFF_REQUIRED' : null
  }

  /** Whether no user may type a password on pages of this origin. Reads no store. */
  isHandoffOnly(origin: string | null): boolean {
    return this.satelliteAt(origin)?.loginMode === 'handoff'
  }

  /**
   * Whether this user may not type a password on pages of this origin; their account may have decided that. Apps
   * have no page to leave for the main site, so this does not concern them. Reads the account unless
   * `handoffRequired` says what it has decided.
   */
  async requiresHandoff(
    user: Pick<User, 'accountId' | 'role'> & Partial<Pick<Account, 'handoffRequired'>>,
    origin: string | null,
  ): Promise<boolean> {
    const { accountId, role, handoffRequired } = user
    const satellite = this.satelliteAt(origin)
    if (!satellite) return false
    if (satellite.loginMode === 'handoff') return true
    // What an account requires of all its users is already in the login mode of its own satellites.
    if (satellite.accountId !== null && role !== 'owner') return false
    const required = handoffRequired ?? (await this.accounts.find(accountId))?.handoffRequired
    return required === 'everyone' || (required === 'owners' && role === 'owner')
  }

  /**
   * Whether a user who has a second factor may not type it on pages of this origin. Apps have no page, and could
   * not be handed off.
   */
  requiresFactorHandoff({ hasSecondFactor }: Pick<User, 'hasSecondFactor'>, origin: string | null): boolean {
    return hasSecondFactor && this.satelliteAt(origin)?.secondFactor === 'handoff'
  }

  /** Whether the origin is that of a satellite's pages. */
  isSatellite(origin: string | null): boolean {
    return this.satelliteAt(origin) !== null
  }

  /**
   * `OWNER_LOGIN_BARRED` or `HANDOFF_REQUIRED` where the user may not enter a password within this session; null where
   * they may. Where the session began counts too: a customer's server could pass on, without an Origin, what was typed on
   * its page.
   */
  async refusalOfPassword(user: User, { source, origin, client }: EntryContext): Promise<ErrorCode | null> {
    for (const site of new Set([origin, client.origin])) {
      if (this.isBarredOwner(user, { source, origin: site })) return 'OWNER_LOGIN_BARRED'
      if (await this.requiresHandoff(user, site)) return 'HANDOFF_REQUIRED'
    }
    return null
  }

  /** The same for codes, which may be entered on fewer sites. */
  async refusalOfCode(user: User, context: EntryContext): Promise<ErrorCode | null> {
    const isHandoffRequired = [context.origin, context.client.origin].some(origin =>
      this.requiresFactorHandoff(user, origin),
    )
    return isHandoffRequired ? 'HANDOFF_REQUIRED' : this.refusalOfPassword(user, context)
  }

  /** Whether the user has a password, and may use it where this session began and where its client is now. */
  async mayUsePassword(user: User, context: EntryContext): Promise<boolean> {
    return user.passwordHash !== null && (await this.refusalOfPassword(user, context)) === null
  }

  private satelliteAt(origin: string | null): Satellite | null {
    return origin === null || origin === this.settings.mainOrigin ? null : this.satellites.find(origin)
  }
}
