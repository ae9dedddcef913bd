import { Controller, Get, Injectable } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { FactorRequirement, UserFactors } from '../../factors/user-factors.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { Documented } from '../../platform/http/endpoint.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { Users } from '../../users/users.js'

class TotpAnswer {
  @ApiProperty({ type: String, format: 'date-time' })
  confirmedAt!: Date
}

class SecondFactorAnswer {
  @ApiProperty({ type: TotpAnswer, nullable: true, description: 'The authenticator app; null without one' })
  totp!: TotpAnswer | null

  @ApiProperty({ type: 'integer', description: 'How many' })
  passkeys!: number

  @ApiProperty({ type: 'integer', description: 'Unused ones' })
  recoveryCodesLeft!: number

  @ApiProperty({ type: Boolean, description: 'False for users who have given up their password' })
  hasPassword!: boolean

  @ApiProperty({ type: Boolean, description: 'Whether the account requires a second factor of them' })
  required!: boolean

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'From when on' })
  requiredFrom!: Date | null

  @ApiProperty({ type: Boolean, description: 'Whether they can do nothing else before they have one' })
  mustEnrol!: boolean
}

const OverviewDocs = () =>
  Documented({
    summary: 'List your login methods',
    status: 200,
    answer: 'Their second factors, and whether they have to have one',
    type: SecondFactorAnswer,
  })

@Injectable()
export class SecondFactorOverview {
  constructor(
    private readonly users: Users,
    private readonly factors: UserFactors,
    private readonly requirement: FactorRequirement,
    private readonly database: Database,
  ) {}

  async of({ userId }: Pick<SessionActor, 'userId'>): Promise<SecondFactorAnswer> {
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const { totpConfirmedAt, ...counts } = await this.factors.find(userId)
    return {
      totp: totpConfirmedAt && { confirmedAt: totpConfirmedAt },
      ...counts,
      hasPassword: user.passwordHash !== null,
      ...(await this.database.run(db => this.requirement.of(db, userId))),
      mustEnrol: user.mustEnrol,
    }
  }
}

@ApiTags('Second factors')
@Controller('api/second-factor')
export class SecondFactorOverviewController {
  constructor(private readonly overview: SecondFactorOverview) {}

  @Get()
  @MainSite()
  @OverviewDocs()
  show(@CurrentActor() actor: SessionActor) {
    return this.overview.of(actor)
  }
}
