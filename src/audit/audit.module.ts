// What was decided here, and why: docs/decisions/audit.md
import { Module } from '@nestjs/common'
import { AuditChain } from './audit-chain.js'
import { AuditChainLinks } from './audit-chain-links.js'
import { AuditLog } from './audit-log.js'
import { AuditSealer } from './audit-sealer.js'
import { AuditVerifier } from './audit-verifier.js'
import { RefusalCleanup } from './refusal-cleanup.job.js'
import { AuditPartitions } from './retention/audit-partitions.js'
import { AuditRetention } from './retention/audit-retention.js'
import { AuditUpkeep } from './retention/audit-upkeep.job.js'
import { RunningExports } from './running-exports.js'

@Module({
  providers: [
    ...[AuditLog, RefusalCleanup, AuditChain, AuditChainLinks, AuditSealer, AuditVerifier],
    ...[AuditPartitions, AuditRetention, AuditUpkeep, RunningExports],
  ],
  exports: [AuditLog, AuditSealer, AuditVerifier, RunningExports],
})
export class AuditModule {}
