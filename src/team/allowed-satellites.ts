import { Injectable } from '@nestjs/common'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import { RegisteredSatellites } from '../satellite-registry/registered-satellites.js'
import { Satellites } from '../satellites/satellites.js'

/** The satellites that members of an account can be invited to. */
@Injectable()
export class AllowedSatellites {
  constructor(
    private readonly satellites: Satellites,
    private readonly registered: RegisteredSatellites,
    private readonly database: Database,
  ) {}

  /**
   * Throws `UNKNOWN_SATELLITE` (400) unless each is one of the account's, whatever its state, or one that every account
   * may use; byte for byte. Null means all.
   */
  async require(accountId: string, origins: readonly string[] | null): Promise<void> {
    const inactive = origins?.filter(origin => !this.satellites.isOf(accountId, origin)) ?? []
    if (inactive.length === 0) return
    const own = await this.database.run(db => this.registered.list(db, accountId))
    const unknown = inactive.find(origin => !own.some(({ satellite }) => satellite.origin === origin))
    if (unknown === undefined) return
    const message = `${unknown.slice(0, 100)} is not the origin of a satellite of this account`
    throw new ApiError('UNKNOWN_SATELLITE', { errors: [{ field: 'satellites', message }] })
  }
}
