// What was decided here, and why: docs/decisions/audit.md
import { Module } from '@nestjs/common'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountTurns, AuditController, LoginsController } from './audit.controller.js'
import { AuditChain, AuditSealer } from './chain.js'
import { AuditExport, RunningExports } from './export.js'
import { AuditPartitions, AuditRetention, AuditUpkeep } from './retention.js'
import { AuditTrail, LoginHistory } from './trail.js'
import { AuditChainLinks, AuditVerifier } from './verifier.js'

@Module({
  imports: [AuditLogModule, SessionsModule],
  controllers: [AuditController, LoginsController],
  providers: [
    ...[AuditChain, AuditChainLinks, AuditSealer, AuditVerifier],
    ...[AuditPartitions, AuditRetention, AuditUpkeep, RunningExports],
    ...[AccountTurns, AuditExport, AuditTrail, LoginHistory],
  ],
  exports: [AuditLogModule, AuditSealer, AuditVerifier, RunningExports],
})
export class AuditModule {}
