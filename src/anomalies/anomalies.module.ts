import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { PlacesModule } from '../geoip/geoip.module.js'
import { OneTimeTokensModule } from '../links/links.module.js'
import { MailModule } from '../mail/mail.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AnomalyResponse } from './anomaly-response.js'
import { FamiliarClients } from './known-devices.js'
import { LoginWatch } from './login-anomaly-check.js'
import { NotMeTokens } from './not-me-tokens.js'
import { Notices } from './notices.js'
import { UseWatch } from './refresh-anomaly-check.js'

@Module({
  imports: [AuditModule, MailModule, OneTimeTokensModule, PlacesModule, SessionsModule],
  providers: [AnomalyResponse, FamiliarClients, LoginWatch, NotMeTokens, Notices, UseWatch],
  exports: [FamiliarClients, LoginWatch, Notices, UseWatch],
})
export class AnomaliesModule {}
