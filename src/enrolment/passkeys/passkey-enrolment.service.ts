import { Injectable } from '@nestjs/common'
import { PasskeyRegistration } from '../../factors/passkey-registration.js'
import { Passkeys, userHandleOf } from '../../factors/passkeys.js'
import { PasskeyChallenges } from '../../factors/webauthn.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { FactorChanges } from '../factor-changes.js'
import { asPasskeyAnswer, type NewPasskeyBody } from './passkeys.dto.js'

/** Adds and removes passkeys. */
@Injectable()
export class PasskeyEnrolmentService {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly challenges: PasskeyChallenges,
    private readonly registration: PasskeyRegistration,
    private readonly factorChanges: FactorChanges,
  ) {}

  /**
   * Adds the passkey that the user's authenticator has made from options of this session. Throws
   * `PASSKEY_INVALID`, `TOO_MANY_PASSKEYS`, `PASSKEY_EXISTS`, and like {@link FactorChanges.add}.
   */
  async add(actor: SessionActor, { response, name }: NewPasskeyBody) {
    const { passkey, challenge, expiresAt } = await this.registration.verify(response, actor, name)
    const added = await this.factorChanges.add(actor, 'passkey', async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      const result = await this.passkeys.add(transaction, passkey)
      return { result, detail: detailOf(result) }
    })
    return { passkey: asPasskeyAnswer(added.result), recoveryCodes: added.recoveryCodes }
  }

  /**
   * Removes a passkey; returns what browsers' signal API takes. Throws `NOT_FOUND`, and like
   * {@link FactorChanges.remove}.
   */
  async remove(actor: SessionActor, id: string) {
    const { result, user } = await this.factorChanges.remove(actor, 'passkey', async (transaction, owner) => {
      const removed = await this.passkeys.remove(transaction, { id, userId: owner.id })
      if (!removed) throw new ApiError('NOT_FOUND')
      const left = await this.passkeys.listOf(transaction, owner.id)
      return { result: { removed, left }, detail: detailOf(removed) }
    })
    const { removed, left } = result
    return {
      rpId: removed.rpId,
      credentialId: removed.credentialId,
      userId: userHandleOf(user.id),
      remaining: left.map(({ credentialId }) => credentialId),
    }
  }
}

function detailOf({ id: passkeyId, name }: { readonly id: string; readonly name: string }) {
  return { factor: 'passkey', passkeyId, name }
}
