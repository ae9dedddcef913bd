// What was decided here, and why: docs/decisions/satellites.md
import { Module } from '@nestjs/common'
import { CorsModule } from '../cors/cors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { CheckMetrics } from './daily-check/check-metrics.js'
import { SatelliteCheckJob, SatelliteChecks } from './daily-check/satellite-check.job.js'
import { RegisteredSatellites } from './registered-satellites.js'
import { SatelliteAdministration } from './satellite-administration.js'
import { SatelliteMails } from './satellite-mails.js'
import { SatelliteRegistryService } from './satellite-registry.js'
import { SatellitesController } from './satellites.controller.js'
import { ActivationNotices } from './verification/activation-notices.js'
import { OriginClaims } from './verification/origin-claims.js'
import { SatelliteActivation } from './verification/satellite-activation.js'
import { SatelliteProofLookup } from './verification/satellite-proof-lookup.js'
import { SatelliteProofs } from './verification/satellite-proofs.js'
import { SatelliteTakeover } from './verification/satellite-takeover.js'
import { SatelliteVerificationService } from './verification/satellite-verification.service.js'

@Module({
  imports: [CorsModule, AuditLogModule, RateLimitsModule, MailModule, SessionsModule, UsersModule],
  controllers: [SatellitesController],
  providers: [
    RegisteredSatellites,
    SatelliteProofs,
    SatelliteProofLookup,
    SatelliteRegistryService,
    SatelliteVerificationService,
    SatelliteActivation,
    ActivationNotices,
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
export class SatellitesModule {}
