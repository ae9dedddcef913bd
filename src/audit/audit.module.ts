// What was decided here, and why: docs/decisions/audit.md
import { Module } from '@nestjs/common'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountTurns } from './account-turns.js'
import { AuditController } from './audit.controller.js'
import { AuditChain } from './audit-chain.js'
import { AuditChainLinks } from './audit-chain-links.js'
import { AuditExport } from './audit-export.js'
import { AuditSealer } from './audit-sealer.js'
import { AuditTrail } from './audit-trail.js'
import { AuditVerifier } from './audit-verifier.js'
import { LoginHistory } from './login-history.js'
import { LoginsController } from './logins.controller.js'
import { AuditPartitions } from './retention/audit-partitions.js'
import { AuditRetention } from './retention/audit-retention.js'
import { AuditUpkeep } from './retention/audit-upkeep.job.js'
import { RunningExports } from './running-exports.js'

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
