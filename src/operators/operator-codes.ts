import { Injectable } from '@nestjs/common'
import { ApiError } from '../platform/errors/api-error.js'
import type { Email } from '../users/email.js'
import type { OperatorActor } from './operator.guard.js'
import { OperatorGuesses } from './operator-guesses.js'
import { Operators } from './operators.js'

/** Asks an operator who has logged in for another code from their app. */
@Injectable()
export class OperatorCodes {
  constructor(
    private readonly operators: Operators,
    private readonly guesses: OperatorGuesses,
  ) {}

  /** Uses the code up. Throws `SECOND_FACTOR_INVALID`, and `TOO_MANY_ATTEMPTS`: it counts like a guess at the login. */
  async require(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const counted = await this.guesses.count('password', email, actor.client)
    await counted.checkedBy(this.use(email, code, actor))
  }

  private async use(email: Email, code: string, actor: OperatorActor): Promise<void> {
    const operator = await this.operators.findByEmail(email)
    if (operator && (await this.operators.useCode(operator, code))) return
    this.guesses.noteWrong(actor, 'operator.passkey', { step: 'added', reason: 'wrong code' })
    throw new ApiError('SECOND_FACTOR_INVALID')
  }
}
