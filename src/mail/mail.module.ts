import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { BrandedSites } from './branded-sites.js'
import { Mailer } from './mailer.js'
import { SiteUrls } from './site-urls.js'

@Module({
  imports: [AuditModule, SatellitesModule],
  providers: [BrandedSites, Mailer, SiteUrls],
  exports: [Mailer, SiteUrls],
})
export class MailModule {}
