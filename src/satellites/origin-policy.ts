import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import { type OriginRules, originFault, previewPatternFault } from './satellite-origin.js'

/** Which origins accounts may have as satellites here. */
@Injectable()
export class OriginPolicy {
  private readonly rules: OriginRules
  private readonly listed: ReadonlySet<string>

  constructor({ cookieDomain, publicUrl, mainOrigin, environment, satelliteOrigins }: Settings) {
    this.rules = {
      ownHosts: cookieDomain ? [cookieDomain] : [publicUrl, mainOrigin].map(url => new URL(url).hostname),
      isLenient: environment !== 'production',
    }
    this.listed = satelliteOrigins
  }

  /**
   * Throws `INVALID_BODY` with the reason for an origin, or a preview pattern, that can be no account's, and
   * `ORIGIN_TAKEN` for one that the operator has listed for everybody.
   */
  require(origin: string, kind: 'production' | 'preview'): void {
    const fault =
      kind === 'preview' ? previewPatternFault(origin, this.rules) : originFault(origin, this.rules)
    if (fault) throw new ApiError('INVALID_BODY', { errors: [{ field: 'origin', message: fault }] })
    if (this.listed.has(origin)) throw new ApiError('ORIGIN_TAKEN')
  }
}
