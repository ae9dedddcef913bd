import { Body, Controller, Get, Put } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger'
import { IsIn, IsInt, Max, Min, ValidateIf } from 'class-validator'
import {
  SECOND_FACTOR_REQUIREMENTS,
  type SecondFactorRequirement,
} from '../platform/database/schema/columns.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { SecondFactorPolicyService } from './policy.js'

const MAX_GRACE_DAYS = 90
const MAX_STEP_UP_MINUTES = 24 * 60

const REQUIRED = {
  enum: SECOND_FACTOR_REQUIREMENTS,
  description:
    'Who must have a second factor: those who may pay (`payments`); the owner and whoever may pay or manage the account or its team ' +
    '(`managers`); `everyone`',
} as const

const STEP_UP = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_STEP_UP_MINUTES,
  nullable: true,
  description:
    'How many minutes ago a second factor may have been used to spend money; null where none is needed',
} as const

class PolicyBody {
  @ApiProperty(REQUIRED)
  @IsIn(SECOND_FACTOR_REQUIREMENTS)
  required!: SecondFactorRequirement

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_DAYS,
    description:
      'From now until it counts; until then nobody has to have a second factor, even if one was required before. Left out: the date ' +
      'stays as it is while the same is required, otherwise it counts at once',
  })
  @ValidateIf(({ graceDays }) => graceDays !== undefined)
  @IsInt()
  @Min(0)
  @Max(MAX_GRACE_DAYS)
  graceDays?: number

  @ApiProperty(STEP_UP)
  @ValidateIf(({ paymentStepUpMinutes }) => paymentStepUpMinutes !== null)
  @IsInt()
  @Min(1)
  @Max(MAX_STEP_UP_MINUTES)
  paymentStepUpMinutes!: number | null
}

class PolicyAnswer {
  @ApiProperty(REQUIRED)
  required!: SecondFactorRequirement

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'From when on it counts; null where nothing is required',
  })
  requiredFrom!: Date | null

  @ApiProperty(STEP_UP)
  paymentStepUpMinutes!: number | null

  @ApiProperty({ type: 'integer', description: 'How many enabled users it concerns' })
  covered!: number

  @ApiProperty({ type: 'integer', description: 'How many of them have a second factor' })
  enrolled!: number
}

const WHO = 'Main site, with the permission accountSettings.'

@ApiTags('Account')
@Controller('api/account/second-factor')
@MainSite({ permission: 'accountSettings' })
export class SecondFactorPolicyController {
  constructor(private readonly policy: SecondFactorPolicyService) {}

  @Get()
  @ApiOperation({ summary: 'Get the second-factor policy', description: WHO })
  @Answers(200, 'What it requires, and how many users have what it takes', PolicyAnswer)
  read(@CurrentActor() actor: SessionActor) {
    return this.policy.read(actor)
  }

  @ContainsDamage()
  @Put()
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Require second factors',
    description:
      `${WHO} After a re-authentication and, where the account already requires something, with a second factor that was used ` +
      'recently. From the date on users who should have a second factor and have none may do nothing but set one up, in live ' +
      'sessions too, from their next refresh. Whoever becomes one of them later has no days of grace. Every administrator of the ' +
      'account is told by mail, unless everything stays as it was.',
  })
  @Answers(200, 'What it requires from now on', PolicyAnswer)
  @Refuses('SECOND_FACTOR_MISSING')
  change(@CurrentActor() actor: SessionActor, @Body() body: PolicyBody) {
    return this.policy.change(actor, body)
  }
}
