import { Readable } from 'node:stream'
import { Body, Controller, Get, Patch, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { type Client, CurrentClient } from '../../http/client.js'
import { CurrentSession } from '../../sessions/actor.js'
import { LiveSession } from '../../sessions/guards/protection.decorators.js'
import type { Session } from '../../sessions/session.js'
import { CountsAsWrite } from '../../tokens/write-limit.guard.js'
import { DataExport } from '../export/data-export.js'
import { ChangeProfileDocs, ExportPersonDocs, NameBody, ReadProfileDocs } from './profile.dto.js'
import { ProfileService } from './profile.service.js'

@ApiTags('Profile')
@Controller('api/profile')
export class ProfileController {
  constructor(
    private readonly profile: ProfileService,
    private readonly dataExport: DataExport,
  ) {}

  /** The caller's profile. */
  @Get()
  @LiveSession()
  @ReadProfileDocs()
  read(@CurrentSession() session: Session) {
    return this.profile.read(session)
  }

  /** Changes the caller's name. */
  @Patch()
  @LiveSession()
  @ChangeProfileDocs()
  change(@CurrentSession() session: Session, @Body() { name }: NameBody, @CurrentClient() client: Client) {
    return this.profile.rename(session, name, client)
  }

  /** Everything about the caller. A failure on the way cuts the connection, so the JSON has no end. */
  @Get('export')
  @CountsAsWrite()
  @LiveSession({ cookieBound: true, reauthenticated: true })
  @ExportPersonDocs()
  async export(
    @CurrentSession() session: Session,
    @CurrentClient() client: Client,
    @Res() reply: FastifyReply,
  ) {
    const pieces = await this.dataExport.start(session, client)
    // Not awaited: once the reply has started, an error can no longer be answered.
    void reply
      .header('Content-Type', 'application/json; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="person.json"')
      .send(Readable.from(pieces, { highWaterMark: 1 }))
  }
}
