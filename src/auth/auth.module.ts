// What was decided here, and why: docs/decisions/README.md, "Logging in"
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { UsersModule } from '../users/users.module.js'
import { FactorCheck } from './factor-check.js'
import { HandoffController } from './handoff.controller.js'
import { HandoffCodes, HandoffRedemption } from './handoff.js'
import { LinkLogins } from './link-login.js'
import { LoginController, SecondFactorController } from './login.controller.js'
import { LoginSessions, PasswordLogin } from './login.js'
import { LoginLimits } from './login-limits.js'
import { LoginPolicy } from './login-policy.js'
import { UnrecognizedLoginController } from './not-me.js'
import { PasskeyLogin, PasskeyLoginController, RelatedOriginsController } from './passkey-login.js'
import { PasswordController } from './password.controller.js'
import { PasswordChanges, PasswordForgot, PasswordMails } from './password.js'
import {
  FactorProofs,
  PasswordProof,
  ReauthenticationController,
  ReauthenticationMethods,
} from './reauthentication.js'
import { RefreshController } from './refresh.js'
import { SecondFactorLogin } from './second-factor.js'
import { SecondFactorChallenges } from './second-factor-challenges.js'

@Module({
  imports: [
    UsersModule,
    AnomaliesModule,
    FactorsModule,
    RateLimitsModule,
    AuditLogModule,
    MailModule,
    LinksModule,
    CorsModule,
    SessionsModule,
    TokensModule,
  ],
  controllers: [
    LoginController,
    SecondFactorController,
    PasskeyLoginController,
    RelatedOriginsController,
    HandoffController,
    UnrecognizedLoginController,
    PasswordController,
    ReauthenticationController,
    RefreshController,
  ],
  providers: [
    LoginLimits,
    LoginPolicy,
    FactorCheck,
    SecondFactorChallenges,
    LoginSessions,
    PasswordLogin,
    LinkLogins,
    SecondFactorLogin,
    PasskeyLogin,
    HandoffCodes,
    HandoffRedemption,
    PasswordProof,
    FactorProofs,
    ReauthenticationMethods,
    PasswordMails,
    PasswordForgot,
    PasswordChanges,
  ],
  exports: [LoginPolicy, LinkLogins, FactorCheck, PasswordMails, PasswordProof],
})
export class AuthModule {}
