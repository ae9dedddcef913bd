// What was decided here, and why: docs/decisions/accounts-and-teams.md
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { AuthModule } from '../auth/auth.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { OptionalMainSessionGuard } from '../sessions/guards/optional-main-session.guard.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { UsersModule } from '../users/users.module.js'
import { AccountController, AccountDeletionController } from './account.controller.js'
import { AccountService } from './account.service.js'
import { AccountChanges } from './account-changes.js'
import { AccountTransactions } from './account-transactions.js'
import { AddressMails } from './address-mails.js'
import { AccountDeletionJob, AccountsDueForDeletion } from './deletion/account-deletion.job.js'
import { AccountDeletionService } from './deletion/account-deletion.service.js'
import { DeletionMails } from './deletion/deletion-mails.js'
import { PendingDeletions } from './deletion/pending-deletions.js'
import { EmailChangeController } from './email-change/email-change.controller.js'
import { EmailChangeService, EmailChanges } from './email-change/email-change.service.js'
import { EmailConfirmationService } from './email-change/email-confirmation.service.js'
import { EmailUndoService } from './email-change/email-undo.service.js'
import { HandoffMails } from './handoff-mails.js'
import { MailedLinkPreview } from './mailed-links/mailed-link-preview.service.js'
import { MailedLinksController } from './mailed-links/mailed-links.controller.js'
import { DataExport } from './profile/data-export.js'
import { ProfileController } from './profile/profile.controller.js'
import { ProfileService } from './profile/profile.service.js'
import { UserRecords } from './profile/user-records.js'
import { PolicyJob } from './second-factor-policy/policy.job.js'
import { PolicyAuthority } from './second-factor-policy/policy-authority.js'
import { PolicyEnforcement } from './second-factor-policy/policy-enforcement.js'
import { PolicyMails } from './second-factor-policy/policy-mails.js'
import { SecondFactorPolicies } from './second-factor-policy/second-factor-policies.js'
import { SecondFactorPolicyController } from './second-factor-policy/second-factor-policy.controller.js'
import {
  PolicyChanges,
  SecondFactorPolicyService,
} from './second-factor-policy/second-factor-policy.service.js'
import { PendingSignUps } from './sign-up/pending-sign-ups.js'
import { SignUpController } from './sign-up/sign-up.controller.js'
import { SignUpService, SignUpVerification } from './sign-up/sign-up.service.js'
import { OwnerChange } from './transfer/owner-change.js'
import { OwnershipTransferService, TransferAcceptance } from './transfer/ownership-transfer.service.js'
import { TransferController } from './transfer/transfer.controller.js'
import { TransferCancellation } from './transfer/transfer-cancellation.js'
import { TransferCompletion } from './transfer/transfer-completion.job.js'
import { TransferMails } from './transfer/transfer-mails.js'
import { TransferParties } from './transfer/transfer-parties.js'

@Module({
  imports: [
    UsersModule,
    RateLimitsModule,
    AuditModule,
    AuthModule,
    BillingModule,
    MailModule,
    LinksModule,
    CorsModule,
    SessionsModule,
    TokensModule,
  ],
  controllers: [
    SignUpController,
    ProfileController,
    EmailChangeController,
    AccountController,
    AccountDeletionController,
    TransferController,
    MailedLinksController,
    SecondFactorPolicyController,
  ],
  providers: [
    AddressMails,
    PendingSignUps,
    SignUpService,
    SignUpVerification,
    ProfileService,
    DataExport,
    UserRecords,
    EmailChangeService,
    EmailChanges,
    EmailConfirmationService,
    EmailUndoService,
    OptionalMainSessionGuard,
    AccountDeletionService,
    DeletionMails,
    PendingDeletions,
    OwnerChange,
    AccountDeletionJob,
    AccountService,
    AccountChanges,
    HandoffMails,
    AccountsDueForDeletion,
    AccountTransactions,
    OwnershipTransferService,
    MailedLinkPreview,
    TransferAcceptance,
    TransferCancellation,
    TransferCompletion,
    TransferMails,
    TransferParties,
    PolicyAuthority,
    PolicyChanges,
    PolicyEnforcement,
    PolicyJob,
    PolicyMails,
    SecondFactorPolicies,
    SecondFactorPolicyService,
  ],
})
export class AccountModule {}
