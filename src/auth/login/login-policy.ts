import { Injectable } from '@nestjs/common'
import { admits, type Satellite } from '../../cors/satellite.js'
import { Satellites } from '../../cors/satellites.js'
import { Settings } from '../../platform/config/settings.js'
import type { Source } from '../../platform/permissions.js'
import { type Account, Accounts } from '../../users/accounts.js'
import type { User } from '../../users/user.js'

/** Where somebody logs in: the kind of session, and the page it comes from (null outside browsers). */
export interface LoginSite {
  readonly source: Source
  readonly origin: string | null
}

/** Who may log in where. */
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
    return satellite !== null && admits(satellite, user)
  }

  /**
   * Whether an owner is barred from entering a password there: anywhere but on the main site, if the setting
   * says so. Without an Origin too, because a customer's server could pass on what was typed on its page.
   */
  isBarredOwner({ role }: Pick<User, 'role'>, { source, origin }: LoginSite): boolean {
    const { mainOrigin, mayOwnersUseSatellites } = this.settings
    return role === 'owner' && source === 'satellite' && origin !== mainOrigin && !mayOwnersUseSatellites
  }

  /** Whether nobody may type a password on pages of this origin. Reads no store. */
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
    // What an account requires of everybody is already in the login mode of its own satellites.
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

  private satelliteAt(origin: string | null): Satellite | null {
    return origin === null || origin === this.settings.mainOrigin ? null : this.satellites.find(origin)
  }
}
