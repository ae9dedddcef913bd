import { Injectable } from '@nestjs/common'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import type { SessionId } from '../sessions/session.js'
import type { Email } from '../users/email.js'
import { Passwords } from '../users/passwords/passwords.js'
import { OperatorGuesses } from './operator-guesses.js'
import { OperatorSessions } from './operator-sessions.js'
import { type Operator, Operators } from './operators.js'

/** What an operator enters. */
export interface OperatorCredentials {
  readonly email: Email
  readonly password: string
  /** From their authenticator app. */
  readonly code: string
}

/** Logs operators in with a password and a code. */
@Injectable()
export class OperatorLogin {
  constructor(
    private readonly operators: Operators,
    private readonly sessions: OperatorSessions,
    private readonly passwords: Passwords,
    private readonly guesses: OperatorGuesses,
    private readonly database: Database,
  ) {}

  /**
   * Returns the secret of a new session. Throws `INVALID_CREDENTIALS` whatever is wrong, after the same
   * amount of work, and `TOO_MANY_ATTEMPTS`.
   */
  async logIn(credentials: OperatorCredentials, client: Client): Promise<SessionId> {
    const counted = await this.guesses.count('password', credentials.email, client)
    return counted.checkedBy(this.check(credentials, client).then(operator => this.open(operator, client)))
  }

  private async check({ email, password, code }: OperatorCredentials, client: Client): Promise<Operator> {
    const operator = await this.operators.findByEmail(email)
    const isPassword = await this.passwords.verify(operator?.passwordHash ?? null, password, client)
    // A code is used up only when the password is right.
    if (operator && isPassword && (await this.operators.useCode(operator, code))) return operator
    const reason = operator ? (isPassword ? 'wrong code' : 'wrong password') : 'unknown operator'
    const actor = { client, ...(operator && { operator: { id: operator.id, reason: null } }) }
    this.guesses.noteWrong(actor, 'operator.login', { reason, email })
    throw new ApiError('INVALID_CREDENTIALS')
  }

  private open(operator: Operator, client: Client): Promise<SessionId> {
    return this.database.transaction(async transaction => {
      // Since the check they may have been disabled, and even added anew.
      if (!(await this.operators.isUnchanged(transaction, operator)))
        throw new ApiError('INVALID_CREDENTIALS')
      return this.sessions.open(transaction, operator.id, client)
    })
  }
}
