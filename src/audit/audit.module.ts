// What was decided here, and why: docs/decisions/README.md, "Audit log"
import { Module } from '@nestjs/common'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { GeoIpModule } from '../platform/geoip.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountTurns, AuditController, LoginsController } from './audit.controller.js'
import { AuditSealer } from './chain.js'
import { AuditExport, RunningExports } from './export.js'
import { AuditRetention } from './retention.js'
import { AuditTrail } from './trail.js'
import { AuditVerifier } from './verifier.js'

@Module({
  imports: [AuditLogModule, GeoIpModule, SessionsModule],
  controllers: [AuditController, LoginsController],
  providers: [
    AccountTurns,
    AuditExport,
    AuditRetention,
    AuditSealer,
    AuditTrail,
    AuditVerifier,
    RunningExports,
  ],
  exports: [AuditLogModule, AuditSealer, AuditVerifier, RunningExports],
})
export class AuditModule {}
