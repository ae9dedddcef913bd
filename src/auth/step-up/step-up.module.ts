// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { UsersModule } from '../../users/users.module.js'
import { PaymentStepUpGuard } from './payment-step-up.guard.js'
import { StepUp } from './step-up.js'

@Module({
  imports: [UsersModule],
  providers: [StepUp, PaymentStepUpGuard],
  exports: [StepUp, PaymentStepUpGuard],
})
export class StepUpModule {}
