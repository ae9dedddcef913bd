import { Module } from '@nestjs/common'
import { AuditChain } from './audit-chain.js'
import { AuditLog } from './audit-log.js'
import { AuditSealer } from './audit-sealer.js'
import { AuditVerifier } from './audit-verifier.js'

@Module({
  providers: [AuditLog, AuditChain, AuditSealer, AuditVerifier],
  exports: [AuditLog, AuditSealer, AuditVerifier],
})
export class AuditModule {}
