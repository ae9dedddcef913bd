import { Controller, Delete, Get, HttpCode, Param, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { Settings } from '../../platform/config/settings.js'
import { LiveSession } from '../guards/protection.decorators.js'
import { ExemptFromWriteLimit } from '../guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../session-actor.js'
import { clearSessionCookie } from '../session-cookie.js'
import { EndOtherSessionsDocs, EndSessionDocs, ListSessionsDocs } from './active-sessions.dto.js'
import { OwnSessions } from './own-sessions.js'

@ApiTags('Sessions')
@Controller('api/sessions')
@LiveSession()
export class ActiveSessionsController {
  constructor(
    private readonly sessions: OwnSessions,
    private readonly settings: Settings,
  ) {}

  /** Where the caller is logged in. */
  @Get()
  @ListSessionsDocs()
  list(@CurrentActor() actor: SessionActor) {
    return this.sessions.list(actor)
  }

  /** Ends one of the caller's sessions, and clears the cookie if it is the caller's own. */
  @Delete(':sid')
  @ExemptFromWriteLimit()
  @HttpCode(204)
  @EndSessionDocs()
  async end(
    @CurrentActor() actor: SessionActor,
    @Param('sid') sid: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.sessions.end(actor, sid)
    if (actor.sid === sid) clearSessionCookie(reply, actor, this.settings)
  }

  /** Ends all other sessions of the caller. */
  @Delete()
  @ExemptFromWriteLimit()
  @EndOtherSessionsDocs()
  async endOthers(@CurrentActor() actor: SessionActor) {
    return { ended: await this.sessions.endOthers(actor) }
  }
}
