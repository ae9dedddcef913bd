import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { PasskeySites } from '../../factors/passkeys.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { IdInPath } from '../../platform/http/request.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { OwnPasskeys } from './own-passkeys.js'
import { PasskeyEnrolmentService } from './passkey-enrolment.service.js'
import {
  AddPasskeyDocs,
  ListPasskeysDocs,
  NewPasskeyBody,
  PasskeyCreationDocs,
  PasskeyNameBody,
  RemovePasskeyDocs,
  RenamePasskeyDocs,
} from './passkeys.dto.js'

@ApiTags('Second factors')
@Controller('api/passkeys')
export class PasskeysController {
  constructor(
    private readonly ownPasskeys: OwnPasskeys,
    private readonly enrolment: PasskeyEnrolmentService,
    private readonly sites: PasskeySites,
    private readonly urls: SiteUrls,
  ) {}

  @Get()
  @MainSite()
  @ListPasskeysDocs()
  async list(@CurrentActor() actor: SessionActor) {
    return { passkeys: await this.ownPasskeys.list(actor), rpId: this.sites.rpId }
  }

  /** What a browser needs to make a new passkey. */
  @ContainsDamage()
  @Post('options')
  @HttpCode(200)
  @MainSite({ reauthenticated: true })
  @PasskeyCreationDocs()
  options(@CurrentActor() actor: SessionActor) {
    return this.ownPasskeys.creationOptions(actor, this.urls.siteName)
  }

  @ContainsDamage()
  @Post()
  @MainSite({ reauthenticated: true })
  @AddPasskeyDocs()
  add(@CurrentActor() actor: SessionActor, @Body() body: NewPasskeyBody) {
    return this.enrolment.add(actor, body)
  }

  @Patch(':id')
  @MainSite({ reauthenticated: true })
  @RenamePasskeyDocs()
  rename(
    @CurrentActor() actor: SessionActor,
    @Param('id', IdInPath) id: string,
    @Body() { name }: PasskeyNameBody,
  ) {
    return this.ownPasskeys.rename(actor, id, name)
  }

  @ContainsDamage()
  @Delete(':id')
  @HttpCode(200)
  @MainSite({ reauthenticated: true })
  @RemovePasskeyDocs()
  remove(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.enrolment.remove(actor, id)
  }
}
