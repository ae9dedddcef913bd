import { Controller, Get } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { Documented } from '../platform/http/endpoint.js'
import { MainSite } from '../sessions/guards/protection.decorators.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { AllowedSatellites } from './allowed-satellites.js'

class TeamSatelliteAnswer {
  @ApiProperty({ type: String, description: 'What `satellites` of members and invitations take' })
  origin!: string

  @ApiProperty({ type: String })
  name!: string

  @ApiProperty({
    enum: ['production', 'preview'],
    description: 'Members who may log in everywhere need access by name to previews',
  })
  kind!: string

  @ApiProperty({
    enum: ['pending', 'active', 'suspended'],
    description: 'Nobody can log in at those that are not active',
  })
  state!: string
}

class TeamSatellitesAnswer {
  @ApiProperty({ type: [TeamSatelliteAnswer] })
  satellites!: TeamSatelliteAnswer[]
}

const ListTeamSatellitesDocs = () =>
  Documented({
    summary: 'List the satellites that members can be given access to',
    description:
      'Main site only, with teamManagement. What `GET /api/satellites` says besides is for those with accountSettings.',
    status: 200,
    answer: "The account's own, oldest first, then those that every account may use",
    type: TeamSatellitesAnswer,
    refusals: ['DATABASE_UNAVAILABLE'],
  })

@ApiTags('Team')
@Controller('api/team/satellites')
@MainSite({ permission: 'teamManagement' })
export class TeamSatellitesController {
  constructor(private readonly allowedSatellites: AllowedSatellites) {}

  @Get()
  @ListTeamSatellitesDocs()
  async list(@CurrentActor() { accountId }: SessionActor) {
    return { satellites: await this.allowedSatellites.list(accountId) }
  }
}
