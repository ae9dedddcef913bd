// What was decided here, and why: docs/decisions/README.md, "Satellites"
import { Module } from '@nestjs/common'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { SatelliteCheckJob } from './check.job.js'
import { SatelliteProofLookup } from './proof.js'
import { RegisteredSatellites } from './registered-satellites.js'
import { SatelliteAdministration, SatelliteRegistry } from './registry.js'
import { SatellitesController } from './satellites.controller.js'
import { SatelliteVerification } from './verification.js'

@Module({
  imports: [AuditLogModule, RateLimitsModule, MailModule, SessionsModule, UsersModule],
  controllers: [SatellitesController],
  providers: [
    RegisteredSatellites,
    SatelliteRegistry,
    SatelliteAdministration,
    SatelliteProofLookup,
    SatelliteVerification,
    SatelliteCheckJob,
  ],
  exports: [RegisteredSatellites, SatelliteAdministration],
})
export class SatellitesModule {}
