import { Controller, Delete, Get, Param, Res } from '@nestjs/common'
import { ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { Settings } from '../platform/config/settings.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Instant, ListOf, OneOf, Text } from '../platform/http/fields.js'
import { OwnSessions } from './active-sessions.js'
import { ExemptFromWriteLimit, LiveSession } from './guards.js'
import { CurrentActor, type SessionActor } from './session-actor.js'
import { clearSessionCookie } from './session-cookie.js'

class SessionAnswer {
  @Text({
    description: 'Its public handle, which cannot be used to log in',
    example: '0iXbCZ6pMTi7jYvK0m6Ps4hSQ1cO1xB7bDy3q6cS8sE',
  })
  sid!: string

  @Flag({ description: "Whether it is the caller's session" }) current!: boolean
  @Text({ description: 'As its client identifies itself', example: 'Firefox on Linux' }) device!: string

  @Text({
    nullable: true,
    description: 'Roughly where its address is; null when unknown',
    example: 'Zürich, Switzerland',
  })
  place!: string | null

  @Text({ example: '203.0.113.7' }) ip!: string
  @Instant() createdAt!: string
  @Instant({ description: 'Its last refresh' }) lastUsed!: string
  @Instant({ description: 'When it ends; use does not extend it' }) expiresAt!: string

  @Instant({
    nullable: true,
    description: 'When it ends unless it is refreshed before; null without an idle timeout',
  })
  idleAt!: string | null
}

/** The sessions of one site. */
export class SiteSessionsAnswer {
  @Text({ nullable: true, description: 'Its origin; null for apps', example: 'https://www.example.com' })
  site!: string | null

  @OneOf(['main', 'satellite', 'app']) kind!: string
  @ListOf(SessionAnswer, { description: 'Most recently used first' }) sessions!: SessionAnswer[]
}

class SessionsAnswer {
  @Flag({ description: 'False on a satellite, which is shown its own sessions only' }) complete!: boolean
  @ListOf(SiteSessionsAnswer, { description: 'Most recently used first' }) sites!: SiteSessionsAnswer[]
}

class EndedAnswer {
  @ApiProperty({ type: Number, description: 'How many were ended' }) ended!: number
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
