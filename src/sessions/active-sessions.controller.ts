import { Controller, Delete, Get, Param, Res } from '@nestjs/common'
import { ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { Settings } from '../platform/config/settings.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { OwnSessions } from './active-sessions.js'
import { ExemptFromWriteLimit, LiveSession } from './guards.js'
import { CurrentActor, type SessionActor } from './session-actor.js'
import { clearSessionCookie } from './session-cookie.js'

class SessionAnswer {
  @ApiProperty({
    type: String,
    description: 'Its public handle, which cannot be used to log in',
    example: '0iXbCZ6pMTi7jYvK0m6Ps4hSQ1cO1xB7bDy3q6cS8sE',
  })
  sid!: string

  @ApiProperty({ type: Boolean, description: "Whether it is the caller's session" })
  current!: boolean

  @ApiProperty({ type: String, description: 'As its client identifies itself', example: 'Firefox on Linux' })
  device!: string

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Roughly where its address is; null when unknown',
    example: 'Zürich, Switzerland',
  })
  place!: string | null

  @ApiProperty({ type: String, example: '203.0.113.7' })
  ip!: string

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string

  @ApiProperty({ type: String, format: 'date-time', description: 'Its last refresh' })
  lastUsed!: string

  @ApiProperty({ type: String, format: 'date-time', description: 'When it ends; use does not extend it' })
  expiresAt!: string
}

/** The sessions of one site. */
export class SiteSessionsAnswer {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Its origin; null for apps',
    example: 'https://www.example.com',
  })
  site!: string | null

  @ApiProperty({ enum: ['main', 'satellite', 'app'] })
  kind!: string

  @ApiProperty({ type: [SessionAnswer], description: 'Most recently used first' })
  sessions!: SessionAnswer[]
}

class SessionsAnswer {
  @ApiProperty({ type: Boolean, description: 'False on a satellite, which is shown its own sessions only' })
  complete!: boolean

  @ApiProperty({ type: [SiteSessionsAnswer], description: 'Most recently used first' })
  sites!: SiteSessionsAnswer[]
}

class EndedAnswer {
  @ApiProperty({ type: Number, description: 'How many were ended' })
  ended!: number
}

@ApiTags('Sessions')
@Controller('api/sessions')
@LiveSession()
export class ActiveSessionsController {
  constructor(
    private readonly sessions: OwnSessions,
    private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List your live sessions by site',
    description:
      'The main site and apps are shown all of them. A session of a satellite is shown those of its own site, and all of ' +
      'them after `POST /api/reauthenticate`, until that expires; `complete` says whether the list is complete.',
  })
  @Answers(200, 'The live sessions', SessionsAnswer)
  list(@CurrentActor() actor: SessionActor) {
    return this.sessions.list(actor)
  }

  @Delete(':sid')
  @ExemptFromWriteLimit()
  @ApiParam({ name: 'sid', type: String, description: 'As listed' })
  @ApiOperation({
    summary: 'End one of your sessions',
    description:
      'It can no longer be refreshed; an access token that it already has stays valid until it expires. A session that is ' +
      "not in the caller's list (already ended, unknown, somebody else's) is 404.",
  })
  @Answers(
    204,
    "Ended; if it was the caller's own, the main site's cookie is cleared too, unless it meanwhile names another session",
  )
  async end(
    @CurrentActor() actor: SessionActor,
    @Param('sid') sid: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.sessions.end(actor, sid)
    if (actor.sid === sid) clearSessionCookie(reply, actor, this.settings)
  }

  @Delete()
  @ExemptFromWriteLimit()
  @ApiOperation({
    summary: 'End all of your other sessions',
    description:
      "Everywhere except in the caller's session. On a satellite this requires `POST /api/reauthenticate` first.",
  })
  @Answers(200, 'Ended', EndedAnswer)
  @Refuses('REAUTHENTICATION_REQUIRED')
  async endOthers(@CurrentActor() actor: SessionActor) {
    return { ended: await this.sessions.endOthers(actor) }
  }
}
