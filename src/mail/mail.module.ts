import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { Mailer } from './mailer.js'
import { Links } from './site-urls.js'

@Module({ imports: [AuditModule], providers: [Mailer, Links], exports: [Mailer, Links] })
export class MailModule {}
