// What was decided here, and why: docs/decisions/an-account-can-require-second-factors.md
import { Module } from '@nestjs/common'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { FactorChanges, PasskeyEnrolmentService, TotpEnrolmentService } from './enrolment.js'
import {
  PasskeysController,
  PasswordRemovalController,
  RecoveryCodesController,
  RememberedDevicesController,
  SecondFactorOverviewController,
  TotpController,
} from './factors.controller.js'
import { SecondFactorPolicyController } from './policy.controller.js'
import { PolicyJob, SecondFactorPolicyService } from './policy.js'

@Module({
  imports: [AuditLogModule, FactorsModule, MailModule, RateLimitsModule, SessionsModule, UsersModule],
  controllers: [
    SecondFactorOverviewController,
    TotpController,
    RecoveryCodesController,
    RememberedDevicesController,
    PasskeysController,
    PasswordRemovalController,
    SecondFactorPolicyController,
  ],
  providers: [
    FactorChanges,
    PasskeyEnrolmentService,
    PolicyJob,
    SecondFactorPolicyService,
    TotpEnrolmentService,
  ],
})
export class EnrolmentModule {}
