import { Injectable } from '@nestjs/common'
import { LoginAnomalyCheck } from '../../anomalies/login-check.js'
import { RememberedDevices, USED_DEVICE } from '../../factors/remembered-devices.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Proof } from '../../sessions/sessions.service.js'
import { acrOf, TWO_FACTORS } from '../../tokens/access-tokens.js'
import type { User } from '../../users/user.js'
import type { LoginContext, LoginUse } from '../login/login-context.js'
import { LoginPolicy } from '../login-policy.js'
import { ChallengeOffer } from './challenge-offer.js'

/** Whether what somebody has proved is enough to log in. */
@Injectable()
export class SecondStepCheck {
  constructor(
    private readonly loginPolicy: LoginPolicy,
    private readonly devices: RememberedDevices,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly offer: ChallengeOffer,
  ) {}

  /**
   * Returns the remembered browser that the login rests on, or null when the user has no second factor or has just
   * used one. Otherwise throws `SECOND_FACTOR_REQUIRED`, with a challenge for the second step, or
   * `HANDOFF_REQUIRED` on pages where a second factor must not be typed, or where the user could only use up
   * recovery codes. A login that is too unusual is `INVALID_CREDENTIALS`, so that strangers do not learn that the
   * password is right.
   */
  async check(user: User, { methods: proved }: Proof, context: LoginContext): Promise<LoginUse | null> {
    if (!user.hasSecondFactor || acrOf(proved) === TWO_FACTORS) return null
    const { client } = context
    if (this.loginPolicy.requiresFactorHandoff(user, client.origin)) throw new ApiError('HANDOFF_REQUIRED')
    const remembered = await this.findRemembered(user, context)
    if (remembered) return remembered
    const { id: userId, accountId } = user
    await this.anomalyCheck.checkFirstStep({ userId, accountId }, context.deviceId, client)
    throw await this.offer.refusalWithChallenge(user, proved, context)
  }

  private async findRemembered(
    { id }: User,
    { source, rememberedDevice }: LoginContext,
  ): Promise<LoginUse | null> {
    if (source !== 'main' || !rememberedDevice) return null
    const values = await this.devices.recognize(id, rememberedDevice)
    return values && { row: USED_DEVICE, values }
  }
}
