import { Module } from '@nestjs/common'
import { MailModule } from '../mail/mail.module.js'
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js'
import { PlacesModule } from '../places/places.module.js'
import { FamiliarClients } from './familiar-clients.js'
import { NotMeTokens } from './not-me-tokens.js'
import { Notices } from './notices.js'

@Module({
  imports: [MailModule, OneTimeTokensModule, PlacesModule],
  providers: [FamiliarClients, NotMeTokens, Notices],
  exports: [FamiliarClients, Notices],
})
export class AnomaliesModule {}
