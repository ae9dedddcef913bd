// What was decided here, and why: docs/decisions/unusual-logins-are-compared-with-known-devices.md
import { Module } from '@nestjs/common'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { GeoIpModule } from '../platform/geoip.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AnomalyMails } from './anomaly-mails.js'
import { KnownDevices } from './known-devices.js'
import { AnomalyResponse, LoginAnomalyCheck, RefreshAnomalyCheck } from './login-check.js'
import { UnrecognizedLoginTokens } from './unrecognized-login-tokens.js'

@Module({
  imports: [AuditLogModule, MailModule, LinksModule, GeoIpModule, SessionsModule],
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
