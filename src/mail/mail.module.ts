import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { Links } from './links.js'
import { Mailer } from './mailer.js'

@Module({ imports: [AuditModule], providers: [Mailer, Links], exports: [Mailer, Links] })
export class MailModule {}
