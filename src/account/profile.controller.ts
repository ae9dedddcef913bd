import { Body, Controller, Get, Patch, Res } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger'
import { ValidateIf } from 'class-validator'
import type { FastifyReply } from 'fastify'
import { RunningExports } from '../audit/export.js'
import { LANGUAGES, type LanguageName } from '../platform/config/languages.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Id, Instant, ListOf, OneOf, Text } from '../platform/http/fields.js'
import { PERMISSIONS, type Permissions } from '../platform/permissions.js'
import { CountsAsWrite, LiveSession } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import type { Email } from '../users/email.js'
import { Name } from '../users/name-text.js'
import type { Role } from '../users/user.js'
import { DataExport } from './data-export.js'
import { ProfileService } from './profile.js'

/** The fields to change; at least one is required. */
class ProfileBody {
  @ApiPropertyOptional()
  @ValidateIf((body: ProfileBody) => body.name !== undefined || body.language === undefined)
  @Name()
  name?: string

  @OneOf(LANGUAGES, { optional: true, description: "The language of the user's mails, as a BCP 47 tag" })
  language?: LanguageName
}

/** A user as they see themselves. */
class Profile {
  @Id() userId!: string
  @Id() accountId!: string
  @Text({ format: 'email' }) email!: Email
  @Text({ nullable: true }) name!: string | null

  @Text({
    nullable: true,
    description: "The language of the user's mails, as a BCP 47 tag; null until it is learned at a login",
  })
  language!: string | null

  @OneOf(['owner', 'member']) role!: Role

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map(name => [name, { type: 'boolean' }])),
    description:
      'What the user was granted; a session may have less, depending on its site. On a satellite, what of it counts there',
  })
  granted!: Permissions

  @ListOf(String, {
    nullable: true,
    description: 'Origins to log in at; null means all. On a satellite only its own',
  })
  satellites!: readonly string[] | null

  @Instant() createdAt!: Date
}

class ProfileAnswer extends Profile {
  @Flag({
    description:
      'Whether `POST /api/password/change` is possible in this session, on pages of this origin. False without a password, ' +
      'and where users must not enter it',
  })
  mayChangePassword!: boolean
}

@ApiTags('Profile')
@Controller('api/profile')
export class ProfileController {
  constructor(
    private readonly profile: ProfileService,
    private readonly dataExport: DataExport,
    private readonly runningExports: RunningExports,
  ) {}

  @Get()
  @LiveSession()
  @ApiOperation({
    summary: 'Get your profile',
    description:
      'As the database has it now; an access token may be some minutes behind. In a session of a satellite `granted` ' +
      'and `satellites` have only what concerns its own site, and everything after `POST /api/reauthenticate`, until that expires.',
  })
  @Answers(200, 'Who is logged in', ProfileAnswer)
  read(@CurrentActor() actor: SessionActor) {
    return this.profile.read(actor)
  }

  @Patch()
  @LiveSession()
  @ApiOperation({ summary: 'Change your name, or the language of your mails' })
  @Answers(200, 'The profile as it is now', ProfileAnswer)
  change(@CurrentActor() actor: SessionActor, @Body() body: ProfileBody) {
    return this.profile.change(actor, body)
  }

  /** A failure midway cuts the connection, so the JSON stays incomplete. */
  @Get('export')
  @CountsAsWrite()
  @LiveSession({ cookieBound: true, enrolled: true, reauthenticated: true })
  @ApiOperation({
    summary: 'Export all of your data',
    description:
      'One JSON object: `profile`, `account`, `sessions`, `factors`, `familiarClients`, `pendingLinks`, `auditLog` (what concerns the user) and ' +
      '`actions` (what the user did to others), without any secret. Needs a re-authentication; a main session needs its cookie too. If the export fails on the way, ' +
      'the connection is cut, and what has arrived is not complete JSON. While another export of the same user is running: 429 `TOO_MANY_ATTEMPTS`.',
  })
  @Answers(200, 'The export', Object)
  @Refuses('TOO_BUSY')
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
