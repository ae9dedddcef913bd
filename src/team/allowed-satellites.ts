import { Injectable } from '@nestjs/common'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { fieldError } from '../platform/errors/field-faults.js'
import { RegisteredSatellites, type SatelliteRow } from '../satellites/registered-satellites.js'

type AllowedSatellite = Pick<SatelliteRow, 'origin' | 'name' | 'kind' | 'state'>

/** The satellites that members of an account can be invited to. */
@Injectable()
export class AllowedSatellites {
  constructor(
    private readonly satellites: Satellites,
    private readonly registered: RegisteredSatellites,
    private readonly database: Database,
    private readonly settings: Settings,
  ) {}

  /**
   * The account's own satellites in any state, oldest first, followed by those that every account may use,
   * named after their host.
   */
  async list(accountId: string): Promise<AllowedSatellite[]> {
    const registered = await this.database.run(db => this.registered.list(db, accountId))
    const own = registered.map(({ satellite: { origin, name, kind, state } }) => ({
      origin,
      name,
      kind,
      state,
    }))
    const listed = [...this.settings.satelliteOrigins].filter(
      origin =>
        this.satellites.isOf(accountId, origin) && !own.some(satellite => satellite.origin === origin),
    )
    return [...own, ...listed.map(listedSatellite)]
  }

  /**
   * Throws `UNKNOWN_SATELLITE` (400) unless each is one of the account's satellites, in any state, or one
   * that every account may use; compared byte for byte. Null means all.
   */
  async require(
    accountId: string,
    origins: readonly string[] | null,
    field: 'satellites' | 'add' = 'satellites',
  ): Promise<void> {
    // A host that a pattern covers is none: members are admitted to the pattern.
    const isActive = (origin: string) =>
      this.satellites.isOf(accountId, origin) && this.satellites.find(origin)?.origin === origin
    const inactive = origins?.filter(origin => !isActive(origin)) ?? []
    if (inactive.length === 0) return
    const own = await this.database.run(db => this.registered.list(db, accountId))
    const unknown = inactive.find(origin => !own.some(({ satellite }) => satellite.origin === origin))
    if (unknown === undefined) return
    const fault = fieldError(field, 'NOT_A_SATELLITE', { origin: unknown.slice(0, 100) })
    throw new ApiError('UNKNOWN_SATELLITE', { errors: [fault] })
  }
}

function listedSatellite(origin: string): AllowedSatellite {
  return { origin, name: new URL(origin).host, kind: 'production', state: 'active' }
}
