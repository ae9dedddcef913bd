import { Body, Controller, Get, Put } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import {
  SECOND_FACTOR_REQUIREMENTS,
  type SecondFactorRequirement,
} from '../platform/database/schema/columns.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Instant, OneOf, Whole } from '../platform/http/fields.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { SecondFactorPolicyService } from './policy.js'

const MAX_GRACE_DAYS = 90
const MAX_STEP_UP_MINUTES = 24 * 60

const Requirement = () =>
  OneOf(SECOND_FACTOR_REQUIREMENTS, {
    description:
      'Who must have a second factor: those who may pay (`payments`); the owner and users who may pay or manage the account or its ' +
      'team (`managers`); `everyone`',
  })

const StepUpMinutes = () =>
  Whole({
    min: 1,
    max: MAX_STEP_UP_MINUTES,
    nullable: true,
    description:
      'How many minutes ago a second factor may have been used to spend money; null where none is needed',
  })

class PolicyBody {
  @Requirement() required!: SecondFactorRequirement

  @Whole({
    optional: true,
    min: 0,
    max: MAX_GRACE_DAYS,
    description:
      'From now until it takes effect; until then no second factor is required, even if one was before. Left out: the date ' +
      'stays as it is while the same is required, otherwise it takes effect at once',
  })
  graceDays?: number

  @StepUpMinutes() paymentStepUpMinutes!: number | null
}

class PolicyAnswer {
  @Requirement() required!: SecondFactorRequirement

  @Instant({ nullable: true, description: 'From when on it counts; null where nothing is required' })
  requiredFrom!: Date | null

  @StepUpMinutes() paymentStepUpMinutes!: number | null
  @Whole({ description: 'How many enabled users it concerns' }) covered!: number
  @Whole({ description: 'How many of them have a second factor' }) enrolled!: number
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
      'account is notified by mail, unless everything stays as it was.',
  })
  @Answers(200, 'What it requires from now on', PolicyAnswer)
  @Refuses('SECOND_FACTOR_MISSING')
  change(@CurrentActor() actor: SessionActor, @Body() body: PolicyBody) {
    return this.policy.change(actor, body)
  }
}
