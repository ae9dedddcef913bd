import { Module } from '@nestjs/common'
import { CorsModule } from '../cors/cors.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { SecretsModule } from '../platform/secrets/secrets.js'
import { FailedMails } from './failed-mails.js'
import { BrandedSites } from './layout.js'
import { Mailer } from './mailer.js'
import { SiteUrls } from './site-urls.js'

@Module({
  imports: [AuditLogModule, LinksModule, CorsModule, SecretsModule],
  providers: [BrandedSites, FailedMails, Mailer, SiteUrls],
  exports: [FailedMails, Mailer, SiteUrls],
})
export class MailModule {}
