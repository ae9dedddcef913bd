import { Injectable } from '@nestjs/common'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { acrOf, TWO_FACTORS } from '../../permissions/auth-methods.js'
import type { Proof } from '../../sessions/sessions.service.js'
import type { User } from '../../users/user.js'
import { LoginPlaces } from '../login/login-places.js'

/** Whether what somebody has proved is enough to be logged in. */
@Injectable()
export class SecondFactorDemand {
  constructor(private readonly places: LoginPlaces) {}

  /**
   * Throws unless the user has no second factor or has just used one: `SECOND_FACTOR_REQUIRED`, or
   * `HANDOFF_REQUIRED` on pages where it must not be typed.
   */
  async check(user: User, { methods }: Proof, { client }: { readonly client: Client }): Promise<void> {
    if (!user.hasSecondFactor || acrOf(methods) === TWO_FACTORS) return
    if (this.places.keepsSecondFactorAway(user, client.origin)) throw new ApiError('HANDOFF_REQUIRED')
    throw new ApiError('SECOND_FACTOR_REQUIRED')
  }
}
