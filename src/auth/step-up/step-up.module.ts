// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { SessionsModule } from '../../sessions/sessions.module.js'
import { UsersModule } from '../../users/users.module.js'
import { PaymentStepUpGuard } from './payment-step-up.guard.js'

@Module({
  imports: [SessionsModule, UsersModule],
  providers: [PaymentStepUpGuard],
  exports: [PaymentStepUpGuard],
})
export class StepUpModule {}
