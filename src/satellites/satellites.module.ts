// What was decided here, and why: docs/decisions/satellites.md
import { Module } from '@nestjs/common'
import { CorsModule } from '../cors/cors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { CheckMetrics, SatelliteCheckJob, SatelliteChecks } from './check.job.js'
import { SatelliteProofLookup } from './proof.js'
import { RegisteredSatellites, SatelliteProofs } from './registered-satellites.js'
import { OriginClaims, SatelliteAdministration, SatelliteRegistryService } from './registry.js'
import { SatelliteMails } from './mails.js'
import { SatellitesController } from './satellites.controller.js'
import {
  ActivationNotices,
  SatelliteActivation,
  SatelliteTakeover,
  SatelliteVerificationService,
} from './verification.js'

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
