import { Injectable } from '@nestjs/common'
import { and, eq } from 'drizzle-orm'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import type { Branding } from '../platform/database/columns/branding.js'
import { Database } from '../platform/database/database.js'
import { satellites } from '../platform/database/schema/satellites.js'
import { causeMessage } from '../platform/errors/cause-message.js'
import { Logger } from '../platform/log.js'
import { safeName } from './safe-name.js'

/** The subject of a mail: a satellite, as the users of an account know it. */
export interface SatelliteOfMail {
  readonly accountId: string
  readonly origin: string
}

export interface BrandedSite {
  /**
   * For a satellite its host, preceded by the name from the branding if there is one. Never that name alone,
   * because anybody can choose any name.
   */
  readonly name: string
  readonly branding: Branding | null
}

/** The only satellite that somebody is invited to; null in all other cases. */
export function onlySatelliteOf({
  accountId,
  satellites,
}: {
  readonly accountId: string
  readonly satellites: readonly string[] | null
}): SatelliteOfMail | null {
  const [origin, ...others] = satellites ?? []
  return origin !== undefined && others.length === 0 ? { accountId, origin } : null
}

/** How satellites look in mails. */
@Injectable()
export class BrandedSites {
  private readonly logger = new Logger('BrandedSites')

  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly satellites: Satellites,
  ) {}

  /**
   * Null means the main site, and so does anything that is not an active satellite of the account: anybody
   * can name any host, and mail programs turn names into links. Without branding while the database is down:
   * a mail does not wait for its colours.
   */
  async find(about: SatelliteOfMail | null): Promise<BrandedSite> {
    if (!about || !this.satellites.isOf(about.accountId, about.origin))
      return { name: this.settings.brand.name, branding: null }
    const { host } = new URL(about.origin)
    const branding = await this.brandingOf(about).catch(error => {
      this.logger.warn(`Sending a mail about ${host} without its branding: ${causeMessage(error)}`)
      return null
    })
    const name = branding && safeName(branding.name)
    return { name: name ? `${name} (${host})` : host, branding }
  }

  private async brandingOf({ accountId, origin }: SatelliteOfMail): Promise<Branding | null> {
    // For a preview, the pattern that it matches.
    const registered = this.satellites.find(origin)?.origin ?? origin
    const matches = and(eq(satellites.accountId, accountId), eq(satellites.origin, registered))
    const rows = await this.database.run(db =>
      db
        .select({ branding: satellites.branding })
        .from(satellites)
        .where(and(matches, eq(satellites.state, 'active'))),
    )
    return rows[0]?.branding ?? null
  }
}
