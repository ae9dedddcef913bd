import { Injectable } from '@nestjs/common'
import { FactorResets } from '../../factors/factor-resets.js'
import { type CheckedAssertion, PasskeyAssertions } from '../../factors/passkey-assertions.js'
import { Database } from '../../platform/database/database.js'
import type { User } from '../../users/user.js'
import type { LoginConfirmation, LoginContext } from '../login.js'

/** Uses up a passkey's challenge when the login is recorded. */
@Injectable()
export class PasskeyConfirmation {
  constructor(
    private readonly assertions: PasskeyAssertions,
    private readonly resets: FactorResets,
    private readonly database: Database,
  ) {}

  /**
   * In one transaction, with the user locked: the passkey still exists, its challenge is used up, and a pending
   * reset of factors is cancelled. A request that removes the passkey waits, and then finds the session.
   */
  prepare(assertion: CheckedAssertion, user: User, { client }: LoginContext): LoginConfirmation {
    return {
      detail: { passkeyId: assertion.passkey.id },
      confirm: (_, record) =>
        this.database.transaction(async transaction => {
          const recorded = await record(transaction)
          await this.assertions.use(transaction, assertion, client)
          await this.resets.cancelByUse(transaction, user, { userId: user.id, client })
          return recorded
        }),
    }
  }
}
