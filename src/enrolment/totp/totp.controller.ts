import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { totpUri } from '../../factors/totp.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { BeginTotpDocs, ConfirmTotpDocs, RemoveTotpDocs, TotpCodeBody } from './totp.dto.js'
import { TotpEnrolmentService, TotpSecrets } from './totp-enrolment.service.js'

@ApiTags('Second factors')
@Controller('api/second-factor/totp')
@MainSite({ reauthenticated: true })
export class TotpController {
  constructor(
    private readonly secrets: TotpSecrets,
    private readonly enrolment: TotpEnrolmentService,
    private readonly urls: SiteUrls,
  ) {}

  /** A secret for the caller's authenticator app. */
  @ContainsDamage()
  @Post()
  @BeginTotpDocs()
  async begin(@CurrentActor() actor: SessionActor) {
    const { secret, email } = await this.secrets.begin(actor)
    return { secret, uri: totpUri(secret, { issuer: this.urls.siteName, label: email }) }
  }

  /** Confirms that the app has the secret, with a code from it. */
  @ContainsDamage()
  @Post('confirm')
  @HttpCode(200)
  @ConfirmTotpDocs()
  async confirm(@CurrentActor() actor: SessionActor, @Body() { code }: TotpCodeBody) {
    return { recoveryCodes: await this.enrolment.confirm(actor, code) }
  }

  @ContainsDamage()
  @Delete()
  @HttpCode(204)
  @RemoveTotpDocs()
  remove(@CurrentActor() actor: SessionActor) {
    return this.enrolment.remove(actor)
  }
}
