// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UserFactors } from './user-factors.js'

@Module({
  imports: [SessionsModule],
  providers: [UserFactors],
  exports: [UserFactors],
})
export class FactorsModule {}
