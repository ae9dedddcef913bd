import { Controller, Delete, Get, HttpCode, Param, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { Settings } from '../../config/settings.js'
import { type Client, CurrentClient } from '../../http/client.js'
import { CountsAsWrite } from '../../tokens/write-limit.guard.js'
import { CurrentSession } from '../actor.js'
import { LiveSession } from '../guards/protection.decorators.js'
import type { Session } from '../session.js'
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
  list(@CurrentSession() session: Session) {
    return this.sessions.list(session)
  }

  /** Ends one of the caller's sessions, and clears the cookie if it is the caller's own. */
  @Delete(':sid')
  @CountsAsWrite(false)
  @HttpCode(204)
  @EndSessionDocs()
  async end(
    @CurrentSession() session: Session,
    @Param('sid') sid: string,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.sessions.end(session, sid, client)
    if (session.source === 'main' && session.sid === sid) clearSessionCookie(reply, this.settings)
  }

  /** Ends all other sessions of the caller. */
  @Delete()
  @CountsAsWrite(false)
  @EndOtherSessionsDocs()
  async endOthers(@CurrentSession() session: Session, @CurrentClient() client: Client) {
    return { ended: await this.sessions.endOthers(session, client) }
  }
}
