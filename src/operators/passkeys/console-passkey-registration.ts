import { Injectable } from '@nestjs/common'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { PasskeyChallenges } from '../../factors/passkeys/passkey-challenges.js'
import { type NewPasskey, PasskeyRegistration } from '../../factors/passkeys/passkey-registration.js'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { OperatorSession } from '../operator-sessions.js'

/** {@link PasskeyRegistration} for operators, at the host of the console. */
@Injectable()
export class ConsolePasskeyRegistration {
  private readonly siteName: string
  private readonly registration: PasskeyRegistration

  constructor(
    private readonly challenges: PasskeyChallenges,
    { operators: console, brand }: Settings,
  ) {
    this.siteName = `${brand.name} operators`
    const rpId = console ? new URL(console.origin).hostname : ''
    const originOf = (origin: string | null) => (console && origin === console.origin ? origin : null)
    this.registration = new PasskeyRegistration(challenges, { rpId, originOf })
  }

  /** What `navigator.credentials.create()` takes. Authenticators that have one of `existing` refuse. */
  options({ sid, operatorId, email }: OperatorSession, existing: readonly { credentialId: string }[]) {
    const owner = { id: operatorId, email, name: null }
    const excluded = existing.map(({ credentialId }) => ({ credentialId, transports: [] }))
    return this.registration.options(owner, sid, this.siteName, excluded)
  }

  /** Throws `PASSKEY_INVALID`. */
  verify(
    response: RegistrationResponseJSON,
    { sid, operatorId: userId }: OperatorSession,
    client: Client,
    name: string,
  ): Promise<NewPasskey> {
    return this.registration.verify(response, { userId, sid, client }, name)
  }

  /** Uses its challenge up, in the transaction that stores it. Throws `PASSKEY_INVALID` when it was used before. */
  async useUp(transaction: Db, { challenge, expiresAt }: NewPasskey): Promise<void> {
    if (!(await this.challenges.use(transaction, challenge, expiresAt))) throw new ApiError('PASSKEY_INVALID')
  }
}
