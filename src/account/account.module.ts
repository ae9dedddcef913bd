// What was decided here, and why: docs/decisions/README.md, "Accounts and teams"
import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { AuthModule } from '../auth/auth.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { OptionalMainSessionGuard } from '../sessions/guards.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { UsersModule } from '../users/users.module.js'
import { AccountController, AccountDeletionController } from './account.controller.js'
import { AccountService } from './account.js'
import { DataExport } from './data-export.js'
import { AccountDeletionJob, AccountDeletionService } from './deletion.js'
import { EmailChangeController, EmailChangeService } from './email-change.js'
import { MailedLinksController } from './mailed-link-preview.js'
import { ProfileController } from './profile.controller.js'
import { ProfileService } from './profile.js'
import { SignUpController, SignUpService } from './sign-up.js'
import { TransferController } from './transfer.controller.js'
import { OwnershipTransferService, TransferCompletion } from './transfer.js'

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
  ],
  providers: [
    SignUpService,
    ProfileService,
    DataExport,
    EmailChangeService,
    OptionalMainSessionGuard,
    AccountService,
    AccountDeletionService,
    AccountDeletionJob,
    OwnershipTransferService,
    TransferCompletion,
  ],
})
export class AccountModule {}
