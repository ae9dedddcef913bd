import { Body, Controller, Get, Patch, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { RunningExports } from '../../audit/export.js'
import { LiveSession } from '../../sessions/guards/protection.decorators.js'
import { CountsAsWrite } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { DataExport } from './data-export.js'
import { ChangeProfileDocs, ExportDataDocs, ProfileBody, ReadProfileDocs } from './profile.dto.js'
import { ProfileService } from './profile.service.js'

@ApiTags('Profile')
@Controller('api/profile')
export class ProfileController {
  constructor(
    private readonly profile: ProfileService,
    private readonly dataExport: DataExport,
    private readonly runningExports: RunningExports,
  ) {}

  /** The caller's profile. */
  @Get()
  @LiveSession()
  @ReadProfileDocs()
  read(@CurrentActor() actor: SessionActor) {
    return this.profile.read(actor)
  }

  /** Changes the caller's name, or the language of their mails. */
  @Patch()
  @LiveSession()
  @ChangeProfileDocs()
  change(@CurrentActor() actor: SessionActor, @Body() body: ProfileBody) {
    return this.profile.change(actor, body)
  }

  /** Everything about the caller. A failure midway cuts the connection, so the JSON stays incomplete. */
  @Get('export')
  @CountsAsWrite()
  @LiveSession({ cookieBound: true, enrolled: true, reauthenticated: true })
  @ExportDataDocs()
  async export(@CurrentActor() actor: SessionActor, @Res() reply: FastifyReply) {
    const text = await this.runningExports.open(actor.userId, reply.raw, isWanted =>
      this.dataExport.start(actor, isWanted),
    )
    // Not awaited: once the reply has started, it is too late for an error response.
    void reply
      .header('Content-Type', 'application/json; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="person.json"')
      .send(text)
  }
}
