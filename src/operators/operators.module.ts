// What was decided here, and why: docs/decisions/README.md, "Operators"
import { type DynamicModule, Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { BillingModule } from '../billing/billing.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { PasskeysModule } from '../factors/passkeys.module.js'
import { HealthModule } from '../health/health.module.js'
import { MailModule } from '../mail/mail.module.js'
import type { Settings } from '../platform/config/settings.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { SecretsModule } from '../platform/secrets/secrets.js'
import { SatellitesModule } from '../satellites/satellites.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TeamModule } from '../team/team.module.js'
import { UsersModule } from '../users/users.module.js'
import { OperatorActivityController } from './activity.js'
import { DirectoryController, PersonController } from './directory.controller.js'
import { Directory } from './directory.js'
import { FailedMailService, OperatorMailsController } from './failed-mails.js'
import { Figures } from './figures.js'
import { OperatorLoginController, OperatorPasskeysController } from './login.controller.js'
import { OperatorLogin, OperatorPasskeys } from './login.js'
import {
  OperatorEventsController,
  OperatorHealthController,
  OperatorSatellitesController,
} from './operations.controller.js'
import { ConsoleAddress, ConsoleGuard, OperatorGuard } from './operator.guard.js'
import { Operators } from './operators.js'
import { OperatorSessions } from './sessions.js'

const CONTROLLERS = [
  OperatorLoginController,
  OperatorPasskeysController,
  DirectoryController,
  PersonController,
  OperatorSatellitesController,
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
    ConsoleAddress,
    ConsoleGuard,
    Directory,
    FailedMailService,
    OperatorGuard,
    OperatorLogin,
    OperatorPasskeys,
    OperatorSessions,
    Operators,
  ],
})
export class OperatorsModule {
  /** Has no routes and counts nothing unless OPERATOR_ORIGIN is set; no routes of payments where there are none. */
  static with({ operators, stripe }: Settings): DynamicModule {
    if (!operators) return { module: OperatorsModule }
    const controllers = stripe ? [...CONTROLLERS, OperatorEventsController] : CONTROLLERS
    return { module: OperatorsModule, controllers, providers: [Figures] }
  }
}
