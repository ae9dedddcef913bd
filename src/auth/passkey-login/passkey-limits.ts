import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { Database } from '../../database/database.js'
import { Passkeys } from '../../factors/passkeys/passkeys.js'
import type { Client } from '../../http/client.js'
import type { CountedAction } from '../../rate-limits/counted-action.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'

/** Counts signatures by credential, whether or not we know it. */
@Injectable()
export class PasskeyLimits {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly passkeys: Passkeys,
    private readonly knownDevices: KnownDevices,
    private readonly database: Database,
  ) {}

  /** While strangers fill the limits, users are let in from where they have logged in before. Throws like {@link RateLimiter.count}. */
  count(credentialId: string, client: Client): Promise<CountedAction> {
    return this.rateLimiter.count({ kind: 'passkey', subject: credentialId, client }, async () => {
      const passkey = await this.database.run(db => this.passkeys.findByCredential(db, credentialId))
      return passkey !== null && this.knownDevices.knowsNetwork(passkey.userId, client.ip)
    })
  }
}
