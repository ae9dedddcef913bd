import { type DynamicModule, Module } from '@nestjs/common'
import { AccountSettingsModule } from './account/account.module.js'
import { HistoryModule } from './audit-api/audit-api.module.js'
import { AuthModule } from './auth/auth.module.js'
import { BillingModule } from './billing/billing.module.js'
import type { Clock } from './clock/clock.js'
import { ClockModule } from './clock/clock.module.js'
import type { Settings } from './config/settings.js'
import { SettingsModule } from './config/settings.module.js'
import { CorsModule } from './cors/cors.module.js'
import { DataModule } from './data/data.module.js'
import { DatabaseModule } from './database/database.module.js'
import { HealthModule } from './health/health.module.js'
import { JobsModule } from './jobs/jobs.module.js'
import { OneTimeTokensModule } from './links/links.module.js'
import { MailModule } from './mail/mail.module.js'
import { AttemptsModule } from './rate-limits/rate-limits.module.js'
import { SessionsModule } from './sessions/sessions.module.js'
import { TeamModule } from './team/team.module.js'
import { TokensModule } from './tokens/tokens.module.js'
import { AccountsModule } from './users/users.module.js'

@Module({
  imports: [
    DatabaseModule,
    JobsModule,
    AttemptsModule,
    MailModule,
    OneTimeTokensModule,
    CorsModule,
    TokensModule,
    SessionsModule,
    AccountsModule,
    AuthModule,
    TeamModule,
    BillingModule,
    AccountSettingsModule,
    HistoryModule,
    DataModule,
    HealthModule,
  ],
})
export class AppModule {
  static with(settings: Settings, clock: Clock): DynamicModule {
    return { module: AppModule, imports: [SettingsModule.with(settings), ClockModule.with(clock)] }
  }
}
