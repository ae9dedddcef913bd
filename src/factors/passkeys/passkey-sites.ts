import { Injectable } from '@nestjs/common'
import { Settings } from '../../platform/config/settings.js'

/** Where passkeys of one domain can be used. */
export interface PasskeyScope {
  /** The domain that they belong to. */
  readonly rpId: string
  /** What the browser must have signed as its origin, for a request from this one; null where passkeys do not work. */
  originOf(origin: string | null): string | null
}

/** Where users' passkeys work: on the main site, and on the operator's own brands that the settings list. */
@Injectable()
export class PasskeySites implements PasskeyScope {
  /** The domain that they belong to. */
  readonly rpId: string
  readonly relatedOrigins: readonly string[]
  private readonly mainOrigin: string

  constructor({ passkeyRpId, passkeyRelatedOrigins, mainOrigin }: Settings) {
    this.rpId = passkeyRpId
    this.relatedOrigins = passkeyRelatedOrigins
    this.mainOrigin = mainOrigin
  }

  /** Whether pages of this origin can use passkeys; false outside browsers. */
  worksAt(origin: string | null): boolean {
    return origin !== null && this.originOf(origin) !== null
  }

  /**
   * What the browser must have signed as its origin, for a request from this one; null where passkeys do not
   * work. Without an Origin it is the main site's: the server of another page could not pass a signature on
   * unnoticed.
   */
  originOf(origin: string | null): string | null {
    if (origin === null || origin === this.mainOrigin) return this.mainOrigin
    return this.relatedOrigins.includes(origin) ? origin : null
  }
}
