// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { StepUpModule } from '../auth/step-up/step-up.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { FactorAuthority } from './factor-authority.js'
import { FactorChanges, FactorConsequences } from './factor-changes.js'
import { OwnPasskeys } from './passkeys/own-passkeys.js'
import { PasskeyEnrolment } from './passkeys/passkey-enrolment.service.js'
import { PasskeysController } from './passkeys/passkeys.controller.js'
import { PasswordRemoval, PasswordRemovalController } from './passkeys/password-removal.js'

@Module({
  imports: [AuditModule, StepUpModule, FactorsModule, MailModule, SessionsModule, UsersModule],
  controllers: [PasskeysController, PasswordRemovalController],
  providers: [
    FactorAuthority,
    FactorChanges,
    FactorConsequences,
    OwnPasskeys,
    PasskeyEnrolment,
    PasswordRemoval,
  ],
})
export class EnrolmentModule {}
