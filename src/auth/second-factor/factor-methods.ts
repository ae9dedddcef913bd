import { Injectable } from '@nestjs/common'
import { PasskeySites } from '../../factors/passkeys.js'
import { UserFactors } from '../../factors/user-factors.js'

export const FACTOR_METHODS = ['totp', 'passkey', 'recovery'] as const
/** How a user can prove a second factor, as named in answers. */
export type FactorMethod = (typeof FACTOR_METHODS)[number]

/** The factors that users have besides a password. */
@Injectable()
export class FactorMethods {
  constructor(
    private readonly factors: UserFactors,
    private readonly sites: PasskeySites,
  ) {}

  /** What the user has that can be used on pages of this origin (null outside browsers). */
  async of(userId: string, origin: string | null): Promise<FactorMethod[]> {
    const { totpConfirmedAt, passkeys, recoveryCodesLeft } = await this.factors.find(userId)
    return [
      ...(totpConfirmedAt ? (['totp'] as const) : []),
      ...(passkeys > 0 && this.sites.worksAt(origin) ? (['passkey'] as const) : []),
      ...(recoveryCodesLeft > 0 ? (['recovery'] as const) : []),
    ]
  }
}
