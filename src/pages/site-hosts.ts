import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Satellites } from '../satellites/satellites.js'
import { Site } from './site.js'

/** Which site's pages a host has here: PAGES says which sites there are, the satellites of this moment where. */
@Injectable()
export class SiteHosts {
  /** Those of PAGES. */
  readonly sites: readonly Site[]
  private readonly main: Site | undefined
  private readonly satellite: Site | undefined
  private readonly mainHost: string
  private readonly schemes: readonly string[]

  constructor(
    { pages, publicUrl, mainOrigin, environment }: Settings,
    private readonly satellites: Satellites,
  ) {
    const places = { mainUrl: mainOrigin }
    this.sites = pages.map(name => {
      // A satellite's page asks across origins, even where the API is at its host too: that is what tells who asks.
      const isAtApi = name === 'main' && publicUrl === mainOrigin
      return new Site(name, { ...places, apiUrl: isAtApi ? '' : publicUrl })
    })
    this.main = this.sites.find(({ name }) => name === 'main')
    this.satellite = this.sites.find(({ name }) => name === 'satellite')
    this.mainHost = new URL(mainOrigin).host
    this.schemes = environment === 'production' ? ['https'] : ['https', 'http']
  }

  /** The site at this host, byte for byte as a browser sends it; null where there is none. */
  siteAt(host: string): Site | null {
    if (host === this.mainHost) return this.main ?? null
    return (this.satellite && this.isOfSatellite(host) && this.satellite) || null
  }

  /** False for a suspended one, as for one that is not yet proven. */
  private isOfSatellite(host: string): boolean {
    return this.schemes.some(scheme => this.satellites.has(`${scheme}://${host}`))
  }
}
