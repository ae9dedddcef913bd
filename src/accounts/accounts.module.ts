import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { MailModule } from '../mail/mail.module.js'
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js'
import { PermissionsModule } from '../permissions/permissions.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountsService } from './accounts.service.js'
import { PendingTransfers } from './ownership/pending-transfers.js'
import { PasswordPolicy } from './password-policy.js'
import { Passwords } from './passwords.js'
import { AccountRecovery } from './recovery/account-recovery.js'
import { UndoTokens } from './recovery/undo-tokens.js'
import { PendingSignUps } from './sign-up/pending-sign-ups.js'
import { SignUpController } from './sign-up/sign-up.controller.js'
import { SignUpService } from './sign-up/sign-up.service.js'
import { SignUpMails } from './sign-up/sign-up-mails.js'
import { SignUpVerification } from './sign-up/sign-up-verification.service.js'
import { ImportBatch } from './user-import/import-batch.js'
import { UserImport } from './user-import/user-import.js'
import { UserRemoval } from './user-removal.js'
import { Users } from './users.js'

@Module({
  imports: [
    AnomaliesModule,
    AttemptsModule,
    AuditModule,
    MailModule,
    OneTimeTokensModule,
    PermissionsModule,
    SessionsModule,
  ],
  controllers: [SignUpController],
  providers: [
    PendingSignUps,
    SignUpMails,
    SignUpService,
    SignUpVerification,
    Users,
    Passwords,
    PasswordPolicy,
    AccountsService,
    UserRemoval,
    AccountRecovery,
    PendingTransfers,
    UndoTokens,
    ImportBatch,
    UserImport,
  ],
  exports: [
    Users,
    Passwords,
    PasswordPolicy,
    AccountsService,
    UserRemoval,
    AccountRecovery,
    PendingTransfers,
    UndoTokens,
  ],
})
export class AccountsModule {}
