// What was decided here, and why: docs/decisions/operators.md
import { type DynamicModule, Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { PasskeysModule } from '../factors/passkeys/passkeys.module.js'
import { HealthModule } from '../health/health.module.js'
import { MailModule } from '../mail/mail.module.js'
import type { Settings } from '../platform/config/settings.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SecretsModule } from '../platform/secrets/secrets.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TeamModule } from '../team/team.module.js'
import { UsersModule } from '../users/users.module.js'
import { OperatorActivityController } from './activity/activity.controller.js'
import { OperatorActivity } from './activity/operator-activity.js'
import { ConsoleAddress } from './console-address.js'
import { AccountInspection } from './directory/account-inspection.js'
import { DirectoryController, PersonController } from './directory/directory.controller.js'
import { DirectoryAudit } from './directory/directory-audit.js'
import { DirectorySearch } from './directory/directory-search.js'
import { LoginDetails } from './directory/login-details.js'
import { OperatorFactorResets } from './directory/operator-factor-resets.js'
import { UserInspection } from './directory/user-inspection.js'
import { FailedMailService } from './mails/failed-mail.service.js'
import { OperatorMailsController } from './mails/failed-mails.controller.js'
import { AccountNames } from './operations/account-names.js'
import { OperatorEventsController, OperatorHealthController } from './operations/operations.controller.js'
import { OperatorSatellitesController } from './operations/satellites.controller.js'
import { ConsoleGuard, OperatorGuard } from './operator.guard.js'
import { OperatorCodes } from './operator-codes.js'
import { OperatorGuesses } from './operator-guesses.js'
import { OperatorLoginController } from './operator-login.controller.js'
import { OperatorLogin } from './operator-login.js'
import { OperatorSessions } from './operator-sessions.js'
import { Operators } from './operators.js'
import { ConsolePasskeyRegistration } from './passkeys/console-passkey-registration.js'
import { OperatorPasskeyLogin } from './passkeys/operator-passkey-login.js'
import { OperatorPasskeysController } from './passkeys/operator-passkeys.controller.js'
import { OperatorPasskeys } from './passkeys/operator-passkeys.js'

const CONTROLLERS = [
  OperatorLoginController,
  OperatorPasskeysController,
  DirectoryController,
  PersonController,
  OperatorSatellitesController,
  OperatorEventsController,
  OperatorHealthController,
  OperatorActivityController,
  OperatorMailsController,
]

@Module({
  imports: [
    AuditModule,
    BillingModule,
    FactorsModule,
    HealthModule,
    MailModule,
    PasskeysModule,
    RateLimitsModule,
    SatellitesModule,
    SecretsModule,
    SessionsModule,
    TeamModule,
    UsersModule,
  ],
  providers: [
    AccountInspection,
    AccountNames,
    ConsoleAddress,
    ConsoleGuard,
    ConsolePasskeyRegistration,
    DirectoryAudit,
    DirectorySearch,
    FailedMailService,
    LoginDetails,
    OperatorActivity,
    OperatorCodes,
    OperatorFactorResets,
    OperatorGuard,
    OperatorGuesses,
    OperatorLogin,
    OperatorPasskeyLogin,
    OperatorPasskeys,
    OperatorSessions,
    Operators,
    UserInspection,
  ],
})
export class OperatorsModule {
  /** Has no routes unless OPERATOR_ORIGIN is set. */
  static with({ operators }: Settings): DynamicModule {
    return { module: OperatorsModule, controllers: operators ? CONTROLLERS : [] }
  }
}
