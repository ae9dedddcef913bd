import { Injectable } from '@nestjs/common'
import { TotpFactors } from '../../factors/totp.js'
import { Database } from '../../platform/database/database.js'
import { ApiError, causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { authMethods } from '../../tokens/access-tokens.js'
import { FactorAuthority } from '../factor-authority.js'
import { FactorChanges } from '../factor-changes.js'

const APP = 'authenticator app'
const DETAIL = { factor: 'totp' }

/** New secrets for authenticator apps, which have no effect yet. */
@Injectable()
export class TotpSecrets {
  constructor(
    private readonly authority: FactorAuthority,
    private readonly totp: TotpFactors,
    private readonly database: Database,
  ) {}

  /**
   * A new secret, which replaces one that was never confirmed, and the user's e-mail address. Throws
   * `TOTP_EXISTS`, and like {@link FactorAuthority}.
   */
  begin(actor: SessionActor): Promise<{ secret: string; email: string }> {
    return this.database.transaction(async transaction => {
      const { id, email } = await this.authority.lock(transaction, actor)
      return { secret: await this.totp.begin(transaction, id), email }
    })
  }
}

/** Adds and removes authenticator apps. */
@Injectable()
export class TotpEnrolmentService {
  private readonly logger = new Logger('TotpEnrolmentService')

  constructor(
    private readonly totp: TotpFactors,
    private readonly factorChanges: FactorChanges,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * Puts the secret into effect once the user's app has shown a code from it; this session has then used it too.
   * Returns recovery codes when there were none. Throws `SECOND_FACTOR_INVALID`, `TOTP_NOT_STARTED`,
   * `TOTP_EXISTS`, and like {@link FactorChanges.add}.
   */
  async confirm(actor: SessionActor, code: string): Promise<readonly string[] | null> {
    const { recoveryCodes } = await this.factorChanges.add(actor, APP, async (transaction, { id }) => {
      if (!(await this.totp.confirm(transaction, id, code))) throw new ApiError('SECOND_FACTOR_INVALID')
      return { result: null, detail: DETAIL }
    })
    await this.stamp(actor)
    return recoveryCodes
  }

  /** Does nothing when there is none. Throws like {@link FactorChanges.remove}. */
  async remove(actor: SessionActor): Promise<void> {
    await this.factorChanges.remove(actor, APP, async (transaction, { id }) => {
      const isRemoved = await this.totp.remove(transaction, id)
      return { result: null, detail: isRemoved ? DETAIL : null }
    })
  }

  /** Without it the user must prove who they are once more; the recovery codes could not be shown once more. */
  private async stamp(actor: SessionActor): Promise<void> {
    try {
      await this.reauthentication.stamp(actor, authMethods('otp'))
    } catch (error) {
      this.logger.warn(`The use of a new factor was not recorded in its session: ${causeMessage(error)}`)
    }
  }
}
