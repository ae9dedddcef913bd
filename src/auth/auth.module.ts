import { Module } from '@nestjs/common'
import { AccountsModule } from '../accounts/accounts.module.js'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { MailModule } from '../mail/mail.module.js'
import { OneTimeTokensModule } from '../one-time-tokens/one-time-tokens.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AfterLogin } from './after-login.js'
import { AuthController } from './auth.controller.js'
import { CookieBoundSessionGuard } from './cookie-bound-session.guard.js'
import { Credentials } from './credentials.js'
import { LoginService } from './login.service.js'
import { LoginAttempts } from './login-attempts.js'
import { LoginRecord } from './login-record.js'
import { LogoutService } from './logout.service.js'
import { NotMeController } from './not-me.controller.js'
import { NotMeService } from './not-me.service.js'
import { NotMeSessions } from './not-me.sessions.js'
import { PasswordController } from './password.controller.js'
import { PasswordByLink } from './password-by-link.service.js'
import { PasswordChange } from './password-change.service.js'
import { PasswordForgot } from './password-forgot.service.js'
import { PasswordMails } from './password-mails.js'
import { PasswordProof } from './password-proof.js'
import { PasswordReset } from './password-reset.service.js'
import { PasswordSetter } from './password-setter.js'
import { ReauthenticationController } from './reauthentication.controller.js'
import { ReauthenticationService } from './reauthentication.service.js'
import { ReauthenticationRecord } from './reauthentication-record.js'

@Module({
  imports: [
    AccountsModule,
    AnomaliesModule,
    AttemptsModule,
    AuditModule,
    MailModule,
    OneTimeTokensModule,
    SessionsModule,
  ],
  controllers: [AuthController, NotMeController, PasswordController, ReauthenticationController],
  providers: [
    AfterLogin,
    CookieBoundSessionGuard,
    Credentials,
    LoginAttempts,
    LoginRecord,
    LoginService,
    LogoutService,
    NotMeService,
    NotMeSessions,
    PasswordByLink,
    PasswordChange,
    PasswordForgot,
    PasswordMails,
    PasswordProof,
    PasswordReset,
    PasswordSetter,
    ReauthenticationRecord,
    ReauthenticationService,
  ],
  exports: [CookieBoundSessionGuard, PasswordMails, PasswordProof, PasswordReset],
})
export class AuthModule {}
