import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Controller, Get } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { NO_LIMITS, PlansFile } from '../../platform/plans.js'
import { CurrentCaller } from '../../tokens/jwt.guard.js'
import { BillingCustomers } from '../provider/billing-customers.js'
import { PlanCatalog } from './plan-catalog.js'
import { ReadPlansDocs } from './plans.dto.js'

@ApiTags('Billing')
@Controller('api/plans')
export class PlansController {
  constructor(
    private readonly catalog: PlanCatalog,
    private readonly customers: BillingCustomers,
    private readonly file: PlansFile,
  ) {}

  /** What is on sale for the caller's account; after one trial, no other is offered. */
  @Get()
  @ReadPlansDocs()
  async list(@CurrentCaller() { accountId }: Caller) {
    const [plans, trialDays] = await Promise.all([
      this.catalog.list(),
      this.customers.trialDaysFor(accountId),
    ])
    return {
      plans: plans.map(plan => ({
        ...plan,
        limits: this.file.limitsOf(plan.priceId) ?? NO_LIMITS,
        trialDays,
      })),
    }
  }
}
