// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import {
  FactorAuthority,
  FactorChanges,
  FactorConsequences,
  OwnPasskeys,
  OwnRememberedDevices,
  PasskeyEnrolmentService,
  TotpEnrolmentService,
  TotpSecrets,
} from './enrolment.js'
import {
  PasskeysController,
  PasswordRemoval,
  PasswordRemovalController,
  RecoveryCodeReplacement,
  RecoveryCodesController,
  RememberedDevicesController,
  SecondFactorOverview,
  SecondFactorOverviewController,
  TotpController,
} from './factors.controller.js'
import { SecondFactorPolicyController } from './policy.controller.js'
import { PolicyJob } from './policy.job.js'
import { SecondFactorPolicyService } from './policy.js'

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
    FactorAuthority,
    FactorChanges,
    FactorConsequences,
    OwnPasskeys,
    OwnRememberedDevices,
    PasskeyEnrolmentService,
    PasswordRemoval,
    PolicyJob,
    RecoveryCodeReplacement,
    SecondFactorOverview,
    SecondFactorPolicyService,
    TotpEnrolmentService,
    TotpSecrets,
  ],
})
export class EnrolmentModule {}
