// What was decided here, and why: docs/decisions/satellites.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { MailModule } from '../mail/mail.module.js'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { CheckMetrics } from './daily-check/check-metrics.js'
import { SatelliteCheckJob, SatelliteChecks } from './daily-check/satellite-check.job.js'
import { OriginClaims } from './origin-claims.js'
import { RegisteredSatellites } from './registered-satellites.js'
import { SatelliteActivation } from './satellite-activation.js'
import { SatelliteAdministration } from './satellite-administration.js'
import { SatelliteMails } from './satellite-mails.js'
import { SatelliteProofs } from './satellite-proofs.js'
import { SatelliteProving } from './satellite-proving.js'
import { SatelliteRegistry } from './satellite-registry.service.js'
import { SatelliteTakeover } from './satellite-takeover.js'
import { SatelliteVerification } from './satellite-verification.service.js'
import { SatellitesController } from './satellites.controller.js'

@Module({
  imports: [SatellitesModule, AuditModule, RateLimitsModule, MailModule, SessionsModule, UsersModule],
  controllers: [SatellitesController],
  providers: [
    RegisteredSatellites,
    SatelliteProofs,
    SatelliteProving,
    SatelliteRegistry,
    SatelliteVerification,
    SatelliteActivation,
    SatelliteTakeover,
    SatelliteAdministration,
    OriginClaims,
    SatelliteMails,
    SatelliteChecks,
    CheckMetrics,
    SatelliteCheckJob,
  ],
  exports: [RegisteredSatellites, SatelliteAdministration],
})
export class SatelliteRegistryModule {}
