import { Injectable } from '@nestjs/common'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { type Fault, faultOf } from '../platform/errors/field-faults.js'
import { listedOrigins } from './satellite.js'
import { isLocal, type OriginRules, originFault, previewPatternFault } from './satellite-origin.js'

/** Which origins accounts may register as satellites, and how many. */
@Injectable()
export class OriginPolicy {
  readonly maxSatellitesPerAccount: number
  private readonly rules: OriginRules
  private readonly listed: ReadonlySet<string>
  private readonly own: readonly string[]

  constructor(settings: Settings) {
    const { cookieDomain, passkeyRpId, publicUrl, mainOrigin, operators, environment } = settings
    this.maxSatellitesPerAccount = settings.maxSatellitesPerAccount
    const isLenient = environment !== 'production'
    this.own = [mainOrigin, new URL(publicUrl).origin, ...(operators ? [operators.origin] : [])]
    // A page within the domain of passkeys can replace its visitors' passkeys by others.
    const hosts = [
      ...(cookieDomain ? [cookieDomain] : this.own.map(origin => new URL(origin).hostname)),
      passkeyRpId,
    ]
    // In development everything is at localhost.
    this.rules = { ownHosts: hosts.filter(host => !(isLenient && isLocal(host))), isLenient }
    this.listed = listedOrigins(settings)
  }

  /** Throws `INVALID_BODY` with the reason for an origin, or a preview pattern, that no account can have. */
  require(origin: string, kind: 'production' | 'preview'): void {
    const fault = this.faultOf(origin, kind)
    if (fault) throw new ApiError('INVALID_BODY', { errors: [{ field: 'origin', ...fault }] })
  }

  /** Whether the operator has listed it for everybody. */
  isListed(origin: string): boolean {
    return this.listed.has(origin)
  }

  private faultOf(origin: string, kind: 'production' | 'preview'): Fault | null {
    if (this.own.includes(origin)) return faultOf('ORIGIN_OURS')
    // Whatever its name: it is taken.
    if (this.isListed(origin)) return null
    return kind === 'preview' ? previewPatternFault(origin, this.rules) : originFault(origin, this.rules)
  }
}
