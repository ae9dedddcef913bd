// What was decided here, and why: docs/decisions/audit.md
import { Module } from '@nestjs/common'
import { AuditChain } from './audit-chain.js'
import { AuditLog } from './audit-log.js'
import { AuditSealer } from './audit-sealer.js'
import { AuditVerifier } from './audit-verifier.js'
import { RefusalCleanup } from './refusal-counts.js'

@Module({
  providers: [AuditLog, RefusalCleanup, AuditChain, AuditSealer, AuditVerifier],
  exports: [AuditLog, AuditSealer, AuditVerifier],
})
export class AuditModule {}
