import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import type { Satellite } from '../cors/satellite.js'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { withinLimit } from '../platform/permissions.js'
import { unixSeconds } from '../platform/time.js'
import { AccessTokens, acrOf, namesOf } from '../tokens/access-tokens.js'
import type { Session } from './session.js'

type SiteOfSession = Pick<Session, 'source' | 'origin'>

/** How long a session lasts at its site, whether it may continue there, and its tokens. Queries no store. */
@Injectable()
export class SessionTerms {
  constructor(
    private readonly satellites: Satellites,
    private readonly accessTokens: AccessTokens,
    private readonly settings: Settings,
  ) {}

  /** The lifetime of a session that begins now. */
  lifetimeSeconds(site: SiteOfSession): number {
    return this.lifetimeAt(this.satelliteOf(site))
  }

  /**
   * Whether the session may continue: its satellite is active, and has belonged to its account since before
   * the session began. Sessions of the main site and of apps always may. A session that lasts longer than this
   * preview allows was opened at a satellite with exactly this origin, which has been removed.
   */
  mayContinue(session: Session): boolean {
    return this.mayContinueAt(session, this.satelliteOf(session))
  }

  /**
   * A new access token, with no more permissions than the satellite allows now. Throws `SESSION_NOT_FOUND`
   * unless the session {@link mayContinue}.
   */
  issueToken(session: Session): string {
    const satellite = this.satelliteOf(session)
    if (!this.mayContinueAt(session, satellite)) throw new ApiError('SESSION_NOT_FOUND')
    return this.accessTokens.issue(callerOf(session, satellite))
  }

  private mayContinueAt(session: Session, satellite: Satellite | null): boolean {
    if (!satellite) return !this.isOfSatellite(session)
    return (
      (satellite.accountId ?? session.accountId) === session.accountId &&
      satellite.activeSince <= session.createdAt.getTime() &&
      (satellite.kind === 'production' || lengthOf(session) <= this.lifetimeAt(satellite))
    )
  }

  private lifetimeAt(satellite: Satellite | null): number {
    const { sessionTtlSeconds } = this.settings
    return Math.min(sessionTtlSeconds, satellite?.sessionSeconds ?? sessionTtlSeconds)
  }

  private satelliteOf(site: SiteOfSession): Satellite | null {
    return this.isOfSatellite(site) ? this.satellites.find(site.origin as string) : null
  }

  /** Apps have no origin, and pages of the main site may also request the lesser sessions of satellites. */
  private isOfSatellite({ source, origin }: SiteOfSession): boolean {
    return source === 'satellite' && origin !== null && origin !== this.settings.mainOrigin
  }
}

function callerOf(session: Session, satellite: Satellite | null): Caller {
  const caller = {
    ...session,
    amr: namesOf(session.amr),
    acr: acrOf(session.amr),
    authTime: unixSeconds(session.authTime),
  }
  if (!satellite) return { ...caller, clientId: session.source === 'main' ? 'main' : 'mobile' }
  return {
    ...caller,
    clientId: satellite.id,
    permissions: withinLimit(session.permissions, satellite.ceiling),
  }
}

/** In seconds. */
function lengthOf({ createdAt, expiresAt }: Session): number {
  return (expiresAt.getTime() - createdAt.getTime()) / 1000
}
