import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../anomalies/known-devices.js'
import { Passkeys } from '../factors/passkeys.js'
import { Database } from '../platform/database/database.js'
import type { Client } from '../platform/http/request.js'
import type { LimitedAction } from '../platform/rate-limits/limit-rules.js'
import { type CountedAction, RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { Email } from '../users/email.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/** Makes an address or passkey without a user cost the same query; otherwise the timing would reveal it. */
const DUMMY_USER_ID = '00000000-0000-0000-0000-000000000000'

/**
 * What is counted by e-mail address or passkey, whether or not it has a user. While attackers fill these
 * limits, the user is let in from where they have logged in before. Every method throws like {@link
 * RateLimiter.count}.
 */
@Injectable()
export class LoginLimits {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly users: Users,
    private readonly passkeys: Passkeys,
    private readonly knownDevices: KnownDevices,
    private readonly database: Database,
  ) {}

  /** A guess at the password of this address's user. */
  countGuess(email: Email, client: Client): Promise<CountedAction> {
    return this.rateLimiter.count({ kind: 'password', subject: email, client }, () =>
      this.isKnownClient(email, client),
    )
  }

  /**
   * The same from a live session, which has guesses of its own while attackers fill its user's limits. Those on
   * satellites and in apps share one allowance, because the holder of a session can open more of them.
   */
  countGuessIn({ sid, userId, source, client }: SessionActor, email: Email): Promise<CountedAction> {
    const subject = source === 'main' ? sid : `${userId} ${source}`
    return this.countWithAllowance(email, { kind: 'session', subject, client })
  }

  /**
   * A guess at another factor from a live session. From a network where the user has not logged in before, all
   * their sessions share one extra allowance.
   */
  countFactorGuess({ id, email }: Pick<User, 'id' | 'email'>, client: Client): Promise<CountedAction> {
    return this.countWithAllowance(email, { kind: 'session', subject: id, client }, () =>
      this.knownDevices.knowsNetwork(id, client.ip),
    )
  }

  /** A signature by this credential. */
  countPasskey(credentialId: string, client: Client): Promise<CountedAction> {
    return this.rateLimiter.count({ kind: 'passkey', subject: credentialId, client }, async () => {
      const passkey = await this.database.run(db => this.passkeys.findByCredential(db, credentialId))
      return this.knownDevices.knowsNetwork(passkey?.userId ?? DUMMY_USER_ID, client.ip)
    })
  }

  /** A mail to this address that is requested without a login. */
  countMail(email: Email, client: Client): Promise<CountedAction> {
    return this.rateLimiter.count({ kind: 'mail', subject: email, client }, () =>
      this.isKnownClient(email, client),
    )
  }

  /** A guess that is also counted in `allowance` if it is let in only because of that. */
  private async countWithAllowance(
    email: Email,
    allowance: LimitedAction,
    isKnown = async () => false,
  ): Promise<CountedAction> {
    const guess = { kind: 'password', subject: email, client: allowance.client } as const
    let taken = null as CountedAction | null
    const takeAllowance = async () => {
      taken = await this.rateLimiter.countIfAllowed(allowance)
      return taken !== null
    }
    try {
      const counted = await this.rateLimiter.count(guess, async () => (await isKnown()) || takeAllowance())
      return taken ? counted.and(taken) : counted
    } catch (refusal) {
      await taken?.refund()
      throw refusal
    }
  }

  private async isKnownClient(email: Email, { ip }: Client): Promise<boolean> {
    const user = await this.users.findByEmail(email)
    return this.knownDevices.knowsNetwork(user?.id ?? DUMMY_USER_ID, ip)
  }
}
