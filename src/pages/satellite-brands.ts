import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import type { Satellite } from '../cors/satellite.js'
import { brandingOf } from '../cors/satellite-branding.js'
import type { Brand } from '../platform/brand.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'

/** A new brand shows after this. Anybody can request pages, so not every request may reach the database. */
const FRESH_MS = 10_000
/** With more satellites than this, some are read again sooner. */
const MAX_KEPT = 2_000

/** How satellites look on pages that this service serves at their hosts. */
@Injectable()
export class SatelliteBrands {
  private readonly logger = new Logger('SatelliteBrands')
  private readonly kept = new LRUCache<string, Promise<Brand>>({ max: MAX_KEPT, ttl: FRESH_MS })
  /** For those in ALLOWED_ORIGINS: without a name, a page shows its host. */
  private readonly plain: Brand

  constructor(
    { brand }: Settings,
    private readonly database: Database,
  ) {
    this.plain = { ...brand, name: '', logoUrl: null }
  }

  /**
   * The satellite's own name, logo and colours where it has them. The plain brand while the database is down:
   * a page does not wait.
   */
  at(satellite: Satellite | null): Brand | Promise<Brand> {
    if (!satellite || satellite.accountId === null) return this.plain
    const known = this.kept.get(satellite.id)
    if (known) return known
    const brand = this.read(satellite.id)
    this.kept.set(satellite.id, brand)
    return brand
  }

  private async read(id: string): Promise<Brand> {
    try {
      const found = await brandingOf(this.database, id)
      if (!found) return this.plain
      return { ...this.plain, name: found.name, ...found.branding }
    } catch (error) {
      this.logger.warn(`Serving a satellite's page without its branding: ${causeMessage(error)}`)
      return this.plain
    }
  }
}
