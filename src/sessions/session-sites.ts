import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import { limitedTo } from '../permissions/permissions.js'
import type { Satellite } from '../satellites/satellite.js'
import { Satellites } from '../satellites/satellites.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import type { Session } from './session.js'

type SiteOfSession = Pick<Session, 'source' | 'origin'>

/** What the site of a session means for it. Nothing here asks a store. */
@Injectable()
export class SessionSites {
  constructor(
    private readonly satellites: Satellites,
    private readonly accessTokens: AccessTokens,
    private readonly settings: Settings,
  ) {}

  /** How long a session that begins now lives. */
  lifetimeSeconds(site: SiteOfSession): number {
    const { sessionTtlSeconds } = this.settings
    return Math.min(sessionTtlSeconds, this.satelliteOf(site)?.sessionSeconds ?? sessionTtlSeconds)
  }

  /**
   * Whether the session may go on: its satellite is active, and has been its account's since before the session
   * began. Those of the main site and of apps always may. One that is longer than the sessions of a preview began at a
   * satellite of its own, which is gone.
   */
  isOpen(session: Session): boolean {
    if (!isOfSatellite(session, this.settings)) return true
    const satellite = this.satelliteOf(session)
    return (
      satellite !== null &&
      (satellite.accountId ?? session.accountId) === session.accountId &&
      satellite.activeSince <= session.createdAt.getTime() &&
      (satellite.kind === 'production' || lengthOf(session) <= this.lifetimeSeconds(session))
    )
  }

  /**
   * A new access token, with no more permissions than the satellite allows now. Throws `SESSION_NOT_FOUND` when the
   * session is not {@link isOpen}.
   */
  issueToken(session: Session): string {
    if (!this.isOpen(session)) throw new ApiError('SESSION_NOT_FOUND')
    return this.accessTokens.issue(this.callerOf(session))
  }

  private callerOf(session: Session): Caller {
    const satellite = this.satelliteOf(session)
    if (!satellite) return { ...session, clientId: session.source === 'main' ? 'main' : 'mobile' }
    return {
      ...session,
      clientId: satellite.id,
      permissions: limitedTo(satellite.ceiling, session.permissions),
    }
  }

  private satelliteOf(site: SiteOfSession): Satellite | null {
    return isOfSatellite(site, this.settings) ? this.satellites.find(site.origin as string) : null
  }
}

/** In seconds. */
function lengthOf({ createdAt, expiresAt }: Session): number {
  return (expiresAt.getTime() - createdAt.getTime()) / 1000
}

/** Apps have no origin, and pages of the main site may ask for the lesser sessions of satellites too. */
function isOfSatellite({ source, origin }: SiteOfSession, { mainOrigin }: Settings): boolean {
  return source === 'satellite' && origin !== null && origin !== mainOrigin
}
