// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { FactorAuthority } from './factor-authority.js'
import { FactorChanges, FactorConsequences } from './factor-changes.js'
import { SecondFactorOverview, SecondFactorOverviewController } from './overview/second-factor-overview.js'
import { OwnPasskeys } from './passkeys/own-passkeys.js'
import { PasskeyEnrolmentService } from './passkeys/passkey-enrolment.service.js'
import { PasskeysController } from './passkeys/passkeys.controller.js'
import { PasswordRemoval, PasswordRemovalController } from './passkeys/password-removal.js'
import { SecondFactorPolicyController } from './policy.controller.js'
import { PolicyJob } from './policy.job.js'
import { SecondFactorPolicyService } from './policy.js'
import {
  RecoveryCodeReplacement,
  RecoveryCodesController,
} from './recovery-codes/recovery-codes.controller.js'
import { OwnRememberedDevices } from './remembered-devices/own-remembered-devices.js'
import { RememberedDevicesController } from './remembered-devices/remembered-devices.controller.js'
import { TotpController } from './totp/totp.controller.js'
import { TotpEnrolmentService, TotpSecrets } from './totp/totp-enrolment.service.js'

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
