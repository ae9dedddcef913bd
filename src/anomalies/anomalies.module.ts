// What was decided here, and why: docs/decisions/anomalies.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { GeoIpModule } from '../geoip/geoip.module.js'
import { LinksModule } from '../links/links.module.js'
import { MailModule } from '../mail/mail.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AnomalyMails } from './anomaly-mails.js'
import { AnomalyResponse } from './anomaly-response.js'
import { KnownDevices } from './known-devices.js'
import { LoginAnomalyCheck } from './login-anomaly-check.js'
import { RefreshAnomalyCheck } from './refresh-anomaly-check.js'
import { UnrecognizedLoginTokens } from './unrecognized-login-tokens.js'

@Module({
  imports: [AuditModule, MailModule, LinksModule, GeoIpModule, SessionsModule],
  providers: [
    AnomalyResponse,
    KnownDevices,
    LoginAnomalyCheck,
    UnrecognizedLoginTokens,
    AnomalyMails,
    RefreshAnomalyCheck,
  ],
  exports: [AnomalyMails, KnownDevices, LoginAnomalyCheck, RefreshAnomalyCheck, UnrecognizedLoginTokens],
})
export class AnomaliesModule {}
