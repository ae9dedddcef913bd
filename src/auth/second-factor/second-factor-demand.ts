import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import { RememberedDevices } from '../../factors/remembered-devices/remembered-devices.js'
import { acrOf, TWO_FACTORS } from '../../permissions/auth-methods.js'
import type { Proof } from '../../sessions/sessions.service.js'
import type { User } from '../../users/user.js'
import { LoginPlaces } from '../login/login-places.js'
import { FactorMethods } from './factor-methods.js'
import { type ChallengePlace, SecondFactorChallenges } from './second-factor-challenges.js'

/** Where somebody logs in, and what their browser brings. */
interface DemandContext extends ChallengePlace {
  /** What the cookie of a remembered device has; main site only. */
  readonly rememberedDevice?: string | null
}

/** Whether what somebody has proved is enough to be logged in. */
@Injectable()
export class SecondFactorDemand {
  constructor(
    private readonly places: LoginPlaces,
    private readonly methods: FactorMethods,
    private readonly challenges: SecondFactorChallenges,
    private readonly devices: RememberedDevices,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Throws unless the user has no second factor, has just used one, or comes with a browser that is remembered:
   * `SECOND_FACTOR_REQUIRED`, with a challenge for the second step, or `HANDOFF_REQUIRED` on pages where it must
   * not be typed.
   */
  async check(user: User, { methods: proved }: Proof, context: DemandContext): Promise<void> {
    if (!user.hasSecondFactor || acrOf(proved) === TWO_FACTORS) return
    const { client } = context
    if (this.places.keepsSecondFactorAway(user, client.origin)) throw new ApiError('HANDOFF_REQUIRED')
    if (await this.isRemembered(user, context)) return
    const { id: userId, accountId, email } = user
    const event = auditEvent({ userId, accountId, client }, 'login', {
      reason: 'second factor required',
      email,
    })
    this.auditLog.note({ ...event, outcome: 'refused' })
    const [challenge, methods] = await Promise.all([
      this.challenges.issue(user, proved, context),
      this.methods.of(userId, client.origin),
    ])
    throw new ApiError('SECOND_FACTOR_REQUIRED', { members: { challenge, methods } })
  }

  private async isRemembered({ id }: User, { source, rememberedDevice }: DemandContext): Promise<boolean> {
    return source === 'main' && !!rememberedDevice && this.devices.recognize(id, rememberedDevice)
  }
}
