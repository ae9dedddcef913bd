import { Module } from '@nestjs/common'
import { AuditLog, RefusalCleanup } from './audit-log.js'

/** Writing the log, which every room does; keeping and reading it is a room of its own, src/audit. */
@Module({ providers: [AuditLog, RefusalCleanup], exports: [AuditLog] })
export class AuditLogModule {}
