import { Injectable } from '@nestjs/common'
import type { Email } from '../accounts/email.js'
import { Users } from '../accounts/users.js'
import { FamiliarClients } from '../anomalies/familiar-clients.js'
import type { Attempt } from '../attempts/attempt.js'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'

/** For an e-mail without a user the same is looked up, or the time would tell. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Logins, counted: by e-mail whether or not it has a user. */
@Injectable()
export class LoginAttempts {
  constructor(
    private readonly limits: AttemptLimits,
    private readonly users: Users,
    private readonly familiarClients: FamiliarClients,
  ) {}

  /**
   * Does `work`, unless there were too many attempts (`TOO_MANY_ATTEMPTS`). It counts as a wrong guess unless it resolves, or
   * rejects because a part of the service was down or busy.
   */
  async during<T>(
    subject: Email,
    client: Client,
    work: () => Promise<T>,
    isFamiliar = () => this.isFamiliar(subject, client),
  ): Promise<T> {
    const attempt: Attempt = { kind: 'password', subject, client }
    const counted = await this.limits.count(attempt, isFamiliar)
    try {
      const done = await work()
      await counted.succeeded()
      return done
    } catch (error) {
      if (!isRefusal(error)) await counted.takeBack()
      throw error
    }
  }

  /** Whether the user has logged in from there before; the same work for nobody. */
  async isFamiliar(subject: Email, { ip }: Client): Promise<boolean> {
    const user = await this.users.findByEmail(subject)
    return this.familiarClients.knowsNetwork(user?.id ?? NOBODY, ip)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}
