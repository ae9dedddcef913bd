import { Body, Controller, Get, Put } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { ChangePolicyDocs, PolicyBody, ReadPolicyDocs } from './second-factor-policy.dto.js'
import { SecondFactorPolicyService } from './second-factor-policy.service.js'

@ApiTags('Account')
@Controller('api/account/second-factor')
@MainSite({ permission: 'accountSettings' })
export class SecondFactorPolicyController {
  constructor(private readonly policy: SecondFactorPolicyService) {}

  @Get()
  @ReadPolicyDocs()
  read(@CurrentActor() actor: SessionActor) {
    return this.policy.read(actor)
  }

  @ContainsDamage()
  @Put()
  @MainSite({ reauthenticated: true })
  @ChangePolicyDocs()
  change(@CurrentActor() actor: SessionActor, @Body() body: PolicyBody) {
    return this.policy.change(actor, body)
  }
}
