// What was decided here, and why: docs/decisions/audit.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountTurns } from './account-turns.js'
import { AuditController } from './audit.controller.js'
import { AuditExport } from './audit-export.js'
import { AuditTrail } from './audit-trail.js'
import { LoginHistory } from './login-history.js'
import { LoginsController } from './logins.controller.js'

@Module({
  imports: [AuditModule, SessionsModule],
  controllers: [AuditController, LoginsController],
  providers: [AccountTurns, AuditExport, AuditTrail, LoginHistory],
})
export class AuditApiModule {}
