import { Injectable } from '@nestjs/common'
import type { Origin } from '../config/origin.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'

/** The satellites of this installation. */
@Injectable()
export class AllowedSatellites {
  constructor(private readonly settings: Settings) {}

  /** Throws `UNKNOWN_SATELLITE` (400) unless each origin is listed, byte for byte. Null means all. */
  require(satellites: readonly string[] | null): void {
    const unknown = satellites?.find(origin => !this.settings.satelliteOrigins.has(origin as Origin))
    if (unknown === undefined) return
    const message = `${unknown.slice(0, 100)} is not the origin of a listed satellite`
    throw new ApiError('UNKNOWN_SATELLITE', { errors: [{ field: 'satellites', message }] })
  }
}
