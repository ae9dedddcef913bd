import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { LiveSession } from '../../sessions/guards/protection.decorators.js'
import { ExemptFromWriteLimit } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import {
  ReauthenticateBody,
  ReauthenticateDocs,
  ReauthenticationMethodsDocs,
} from './reauthentication.dto.js'
import { ReauthenticationService } from './reauthentication.service.js'
import { ReauthenticationMethods } from './reauthentication-methods.js'

@ApiTags('Auth')
@Controller('api/reauthenticate')
export class ReauthenticationController {
  constructor(
    private readonly reauthentication: ReauthenticationService,
    private readonly methods: ReauthenticationMethods,
  ) {}

  /** How the caller can re-authenticate here. */
  @Get()
  @LiveSession()
  @ReauthenticationMethodsDocs()
  async list(@CurrentActor() actor: SessionActor) {
    return { methods: await this.methods.of(actor, actor.client.origin) }
  }

  /** The user proves again who they are, in order to do what an unattended browser must not be able to do. */
  @Post()
  @ExemptFromWriteLimit()
  @HttpCode(200)
  @LiveSession()
  @ReauthenticateDocs()
  async reauthenticate(@CurrentActor() actor: SessionActor, @Body() proof: ReauthenticateBody) {
    return { reauthenticatedUntil: await this.reauthentication.reauthenticate(actor, proof) }
  }
}
