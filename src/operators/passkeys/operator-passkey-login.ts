import { Injectable } from '@nestjs/common'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { and, eq, isNull } from 'drizzle-orm'
import { checkSignature } from '../../factors/passkeys/check-signature.js'
import { clientDataOf } from '../../factors/passkeys/client-data.js'
import { userHandleOf } from '../../factors/passkeys/passkey.js'
import { CHALLENGE_SECONDS, PasskeyChallenges } from '../../factors/passkeys/passkey-challenges.js'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { operatorPasskeys, operators as operatorRows } from '../../platform/database/schema/operators.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { SessionId } from '../../sessions/session.js'
import { OperatorGuesses } from '../operator-guesses.js'
import { OperatorSessions } from '../operator-sessions.js'

type PasskeyRow = typeof operatorPasskeys.$inferSelect

const FOR_LOGIN = { for: 'operator assertion' } as const

/** Logs operators in with a passkey. */
@Injectable()
export class OperatorPasskeyLogin {
  private readonly origin: string
  private readonly rpId: string

  constructor(
    private readonly challenges: PasskeyChallenges,
    private readonly sessions: OperatorSessions,
    private readonly guesses: OperatorGuesses,
    private readonly database: Database,
    { operators: console }: Settings,
  ) {
    this.origin = console?.origin ?? ''
    this.rpId = console ? new URL(console.origin).hostname : ''
  }

  /** Options for `navigator.credentials.get()`. They reveal nothing about anybody. */
  requestOptions() {
    return {
      challenge: this.challenges.issue(FOR_LOGIN),
      rpId: this.rpId,
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    }
  }

  /** Returns the secret of a new session. Throws `PASSKEY_INVALID` whatever is wrong, and `TOO_MANY_ATTEMPTS`. */
  async logIn(response: AuthenticationResponseJSON, client: Client): Promise<SessionId> {
    const counted = await this.guesses.count('passkey', response.id, client)
    try {
      return await counted.checkedBy(this.openBy(response, client))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PASSKEY_INVALID')
        this.guesses.noteWrong({ client }, 'operator.login', { reason: 'wrong passkey' })
      throw error
    }
  }

  private async openBy(response: AuthenticationResponseJSON, client: Client): Promise<SessionId> {
    const challenge = clientDataOf(response.response.clientDataJSON)?.challenge ?? ''
    const expiresAt = this.challenges.expiryOf(challenge, FOR_LOGIN)
    if (!expiresAt) throw new ApiError('PASSKEY_INVALID')
    const { origin, rpId } = this
    const expected = { passkey: await this.find(response), challenge, origin, rpId }
    const { passkey } = await checkSignature(response, expected)
    return this.database.transaction(async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      if (!(await lockPasskey(transaction, passkey))) throw new ApiError('PASSKEY_INVALID')
      return this.sessions.open(transaction, passkey.operatorId, client, { passkey: passkey.name })
    })
  }

  /** Only if its operator can log in, and is whom the authenticator means. */
  private async find({ id, response }: AuthenticationResponseJSON): Promise<PasskeyRow | null> {
    const [row] = await this.database.run(db =>
      db
        .select({ passkey: operatorPasskeys })
        .from(operatorPasskeys)
        .innerJoin(operatorRows, eq(operatorRows.id, operatorPasskeys.operatorId))
        .where(and(eq(operatorPasskeys.credentialId, id), isNull(operatorRows.disabledAt))),
    )
    return row && response.userHandle === userHandleOf(row.passkey.operatorId) ? row.passkey : null
  }
}

/** Whether it still exists; then nobody can remove it, nor disable its operator, until the transaction ends. */
async function lockPasskey(transaction: Db, { credentialId }: PasskeyRow): Promise<boolean> {
  const rows = await transaction
    .select({ credentialId: operatorPasskeys.credentialId })
    .from(operatorPasskeys)
    .where(eq(operatorPasskeys.credentialId, credentialId))
    .for('share')
  return rows.length > 0
}
