import { Module } from '@nestjs/common'
import { AccountsModule } from '../accounts/accounts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AuthController } from './auth.controller.js'
import { LoginService } from './login.service.js'
import { LogoutService } from './logout.service.js'

@Module({
  imports: [AccountsModule, AuditModule, SessionsModule],
  controllers: [AuthController],
  providers: [LoginService, LogoutService],
})
export class AuthModule {}
