import { Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Satellite } from '../cors/satellite.js'
import { brandingOf, Satellites } from '../cors/satellites.js'
import { ConsoleAddress } from '../operators/operator.guard.js'
import { type Brand, Settings } from '../platform/config/settings.js'
import type { SiteName } from '../platform/config/tables.js'
import { Database } from '../platform/database/database.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Site } from './site.js'

/** A new brand shows after this. Any client can request pages, so not every request may reach the database. */
const FRESH_MS = 10_000
/** With more satellites than this, some are read again sooner. */
const MAX_KEPT = 2_000

/** Which site's pages each host serves: PAGES says which sites there are, the current satellites say where. */
@Injectable()
export class SiteHosts {
  /** Those in PAGES, and the operator console where there is one. */
  readonly sites: readonly Site[]
  private readonly main: Site | undefined
  private readonly satellite: Site | undefined
  private readonly operator: Site | undefined
  private readonly mainHost: string
  private readonly schemes: readonly string[]
  private readonly logger = new Logger('SiteHosts')
  private readonly brands = new LRUCache<string, Promise<Brand>>({ max: MAX_KEPT, ttl: FRESH_MS })
  private readonly mainBrand: Brand
  /** Of satellites in ALLOWED_ORIGINS: without a name, a page shows its host. */
  private readonly plainBrand: Brand

  constructor(
    { pages, operators, publicUrl, mainOrigin, environment, brand, defaultLanguage, stripe }: Settings,
    private readonly satellites: Satellites,
    private readonly database: Database,
    private readonly console: ConsoleAddress,
  ) {
    this.mainBrand = brand
    this.plainBrand = { ...brand, name: '', logoUrl: null }
    const places = {
      mainUrl: mainOrigin,
      mainName: brand.name,
      language: defaultLanguage,
      takesPayments: stripe !== null,
    }
    const names: SiteName[] = operators ? [...pages, 'operator'] : [...pages]
    this.sites = names.map(name => {
      // A satellite's page makes cross-origin requests even where the API is at its own host, because the
      // Origin identifies it.
      const isAtApi = name === 'operator' || (name === 'main' && publicUrl === mainOrigin)
      const brandAt =
        name !== 'satellite' ? () => brand : (host: string) => this.brandOf(this.satelliteAt(host))
      return new Site(name, { ...places, apiUrl: isAtApi ? '' : publicUrl }, brandAt)
    })
    this.main = this.sites.find(({ name }) => name === 'main')
    this.satellite = this.sites.find(({ name }) => name === 'satellite')
    this.operator = this.sites.find(({ name }) => name === 'operator')
    this.mainHost = new URL(mainOrigin).host
    this.schemes = environment === 'production' ? ['https'] : ['https', 'http']
  }

  /**
   * How the site of a page with this origin looks: a satellite as its account has chosen, where that has; any other client as
   * the main site.
   */
  async brandOfPage(origin: string | null): Promise<Brand> {
    const satellite = origin === null ? null : this.satellites.find(origin)
    if (!satellite) return this.mainBrand
    const brand = await this.brandOf(satellite)
    return { ...brand, name: brand.name || new URL(origin as string).host }
  }

  /**
   * The site at this host, byte for byte as a browser sends it; null where there is none, or none for this
   * request.
   */
  siteAt(host: string, request: FastifyRequest): Site | null {
    if (this.console.isConsoleHost(host))
      return this.console.reaches(request) ? (this.operator ?? null) : null
    if (host === this.mainHost) return this.main ?? null
    return (this.satellite && this.satelliteAt(host) && this.satellite) || null
  }

  /** How a page of this origin looks, wherever it is served: as {@link siteAt} would show it. */
  brandAt(origin: string): Brand | Promise<Brand> {
    return this.brandOf(this.satellites.find(origin))
  }

  /** Null for a suspended one, as for one that is not yet proven. */
  private satelliteAt(host: string): Satellite | null {
    const found = this.schemes.map(scheme => this.satellites.find(`${scheme}://${host}`))
    return found.find(satellite => satellite !== null) ?? null
  }

  /** The satellite's own name, logo and colours where it has them. */
  private brandOf(satellite: Satellite | null): Brand | Promise<Brand> {
    if (!satellite || satellite.accountId === null) return this.plainBrand
    const known = this.brands.get(satellite.id)
    if (known) return known
    const brand = this.readBrand(satellite.id)
    this.brands.set(satellite.id, brand)
    return brand
  }

  /** The plain brand while the database is down: a page does not wait. */
  private async readBrand(id: string): Promise<Brand> {
    try {
      const found = await brandingOf(this.database, id)
      return found ? { ...this.plainBrand, name: found.name, ...found.branding } : this.plainBrand
    } catch (error) {
      this.logger.warn(`Serving a satellite's page without its branding: ${causeMessage(error)}`)
      return this.plainBrand
    }
  }
}
