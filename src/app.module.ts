import { type DynamicModule, Module } from '@nestjs/common'
import { AccountModule } from './account/account.module.js'
import { AuditApiModule } from './audit-api/audit-api.module.js'
import { AuthModule } from './auth/auth.module.js'
import { BillingModule } from './billing/billing.module.js'
import { type Clock, ClockModule } from './clock/clock.js'
import type { Settings } from './config/settings.js'
import { SettingsModule } from './config/settings.module.js'
import { CorsModule } from './cors/cors.module.js'
import { DataModule } from './data/data.module.js'
import { DatabaseModule } from './database/database.module.js'
import { OpenConnections } from './database/open-connections.js'
import { EnrolmentModule } from './enrolment/enrolment.module.js'
import { HealthModule } from './health/health.module.js'
import { JobsModule } from './jobs/leased-jobs.js'
import { LinksModule } from './links/links.module.js'
import { MailModule } from './mail/mail.module.js'
import { Metrics } from './metrics/metrics.js'
import { MetricsModule } from './metrics/metrics.module.js'
import { OperatorsModule } from './operators/operators.module.js'
import { PagesModule } from './pages/pages.module.js'
import { RateLimitsModule } from './rate-limits/rate-limits.module.js'
import { SatelliteRegistryModule } from './satellite-registry/satellite-registry.module.js'
import { SecretsModule } from './secrets/secrets.module.js'
import { SessionsModule } from './sessions/sessions.module.js'
import { TeamModule } from './team/team.module.js'
import { TokensModule } from './tokens/tokens.module.js'
import { Tracing } from './tracing/tracing.js'
import { TracingModule } from './tracing/tracing.module.js'
import { UsersModule } from './users/users.module.js'

@Module({
  imports: [
    JobsModule,
    RateLimitsModule,
    MailModule,
    LinksModule,
    CorsModule,
    SecretsModule,
    TokensModule,
    SessionsModule,
    UsersModule,
    AuthModule,
    EnrolmentModule,
    SatelliteRegistryModule,
    TeamModule,
    BillingModule,
    AccountModule,
    AuditApiModule,
    DataModule,
    HealthModule,
    PagesModule,
  ],
})
export class AppModule {
  /** The whole service. Tools that never listen omit the last three. */
  static with(
    settings: Settings,
    clock: Clock,
    connections = new OpenConnections(),
    metrics = new Metrics(),
    tracing = new Tracing(),
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(settings),
        OperatorsModule.with(settings),
        ClockModule.with(clock),
        MetricsModule.with(metrics),
        TracingModule.with(tracing),
        DatabaseModule.with(connections),
      ],
    }
  }
}
