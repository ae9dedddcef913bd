import { Module } from '@nestjs/common'
import { AuditModule } from '../audit/audit.module.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountsService } from './accounts.service.js'
import { Passwords } from './passwords.js'
import { Users } from './users.js'

@Module({
  imports: [AuditModule, SessionsModule],
  providers: [Users, Passwords, AccountsService],
  exports: [Users, Passwords, AccountsService],
})
export class AccountsModule {}
