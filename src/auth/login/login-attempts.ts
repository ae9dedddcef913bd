import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { Email } from '../../users/email.js'
import { Users } from '../../users/users.js'

/** An address without a user costs the same look-up; otherwise the time would reveal it. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Counts logins, by e-mail address whether or not it has a user. */
@Injectable()
export class LoginAttempts {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly users: Users,
    private readonly knownDevices: KnownDevices,
  ) {}

  /** Like {@link RateLimiter.guess}, at the password of this address's user. */
  during<T>(
    subject: Email,
    client: Client,
    work: () => Promise<T>,
    isKnownClient = () => this.isKnownClient(subject, client),
  ): Promise<T> {
    return this.rateLimiter.guess({ kind: 'password', subject, client }, work, isKnownClient)
  }

  /** Whether the user has logged in from there before; the same work without a user. */
  async isKnownClient(subject: Email, { ip }: Client): Promise<boolean> {
    const user = await this.users.findByEmail(subject)
    return this.knownDevices.knowsNetwork(user?.id ?? NOBODY, ip)
  }
}
