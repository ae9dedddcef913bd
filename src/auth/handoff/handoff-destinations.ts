import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import { admits, type Satellite } from '../../cors/satellite.js'
import { brandingOf } from '../../cors/satellite-branding.js'
import { matchesPattern } from '../../cors/satellite-map.js'
import { Satellites } from '../../cors/satellites.js'
import { Database } from '../../platform/database/database.js'
import type { Branding } from '../../platform/database/schema/columns.js'
import { satellites } from '../../platform/database/schema/satellites.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { LoginPolicy } from '../login/login-policy.js'

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
