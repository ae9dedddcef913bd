import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { LinksModule } from '../links/links.module.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { SecretsModule } from '../secrets/secrets.module.js'
import { BrandedSites } from './branded-sites.js'
import { FailedMailCleanup } from './failed-mail-cleanup.job.js'
import { FailedMails } from './failed-mails.js'
import { Mailer } from './mailer.js'
import { SiteUrls } from './site-urls.js'

@Module({
  imports: [AuditModule, LinksModule, SatellitesModule, SecretsModule],
  providers: [BrandedSites, FailedMailCleanup, FailedMails, Mailer, SiteUrls],
  exports: [FailedMails, Mailer, SiteUrls],
})
export class MailModule {}
