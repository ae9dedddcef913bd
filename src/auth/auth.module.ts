// What was decided here, and why: docs/decisions/login.md
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { CorsModule } from '../cors/cors.module.js'
import { FactorsModule } from '../factors/factors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { TokensModule } from '../tokens/tokens.module.js'
import { UsersModule } from '../users/users.module.js'
import { FactorCheck, FactorMethods } from './factor-check.js'
import { HandoffController } from './handoff.controller.js'
import {
  HandoffCodes,
  HandoffConfirmation,
  HandoffDestinations,
  HandoffEligibility,
  HandoffRedemptionService,
  HandoffRefusals,
  HandoffService,
} from './handoff.js'
import { LoginController, LoginTransport, SecondFactorController } from './login.controller.js'
import { Credentials, HandoffCheck, LoginRecords, LoginService, LoginSessions } from './login.js'
import { LoginLimits } from './login-limits.js'
import { CredentialEntryPolicy, LoginPolicy } from './login-policy.js'
import { UnrecognizedLoginController } from './not-me.js'
import {
  PasskeyConfirmation,
  PasskeyLoginController,
  PasskeyLoginService,
  PasskeyUsers,
  RelatedOriginsController,
} from './passkey-login.js'
import { PasswordController } from './password.controller.js'
import { PasswordChanges, PasswordForgot, PasswordMails } from './password.js'
import {
  FactorProofs,
  FactorUse,
  PasswordProof,
  ReauthenticationController,
  ReauthenticationMethods,
  ReauthenticationService,
  ReusableCodes,
} from './reauthentication.js'
import { RefreshController } from './refresh.js'
import {
  DeviceMemory,
  SecondFactorConfirmation,
  SecondFactorLoginService,
  WrongFactorNotifier,
} from './second-factor.js'
import { ChallengeOffer, SecondFactorChallenges, SecondStepCheck } from './second-factor-challenges.js'

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
    CredentialEntryPolicy,
    Credentials,
    DeviceMemory,
    FactorCheck,
    FactorMethods,
    FactorProofs,
    FactorUse,
    HandoffCheck,
    HandoffCodes,
    HandoffDestinations,
    HandoffConfirmation,
    HandoffEligibility,
    HandoffRedemptionService,
    HandoffRefusals,
    HandoffService,
    LoginTransport,
    LoginLimits,
    LoginPolicy,
    LoginRecords,
    LoginService,
    LoginSessions,
    PasskeyConfirmation,
    PasskeyLoginService,
    PasskeyUsers,
    PasswordChanges,
    PasswordForgot,
    PasswordMails,
    PasswordProof,
    ReauthenticationMethods,
    ReauthenticationService,
    SecondFactorChallenges,
    SecondFactorConfirmation,
    SecondFactorLoginService,
    SecondStepCheck,
    ChallengeOffer,
    ReusableCodes,
    WrongFactorNotifier,
  ],
  exports: [CredentialEntryPolicy, FactorCheck, FactorMethods, LoginPolicy, PasswordMails, PasswordProof],
})
export class AuthModule {}
