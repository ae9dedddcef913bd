import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { BillingCustomers } from '../customers/billing-customers.js'
import { callStripe } from '../provider/payment-provider.js'

type Flow = Stripe.BillingPortal.SessionCreateParams.FlowData

/**
 * The provider's pages for existing subscriptions. Opening one changes nothing, so it needs no idempotency
 * key.
 */
@Injectable()
export class PortalService {
  constructor(
    private readonly customers: BillingCustomers,
    private readonly stripe: Stripe,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * The URL of a page, valid for some minutes. Without `flow` it shows everything. Throws `NEVER_SUBSCRIBED`
   * (409) for an account without a customer, and like `callStripe`.
   */
  async open(caller: Caller, returnUrl: string, client: Client, flow?: Flow): Promise<string> {
    const { userId, accountId, sid } = caller
    const customer = await this.customers.find(accountId)
    if (!customer) throw new ApiError('NEVER_SUBSCRIBED')
    const { url } = await callStripe(() =>
      this.stripe.billingPortal.sessions.create({
        customer,
        return_url: returnUrl,
        ...(flow && { flow_data: flow }),
      }),
    )
    this.auditLog.note({
      action: 'billing.portal',
      outcome: 'ok',
      userId,
      accountId,
      sid,
      client,
      ...(flow && { detail: { flow: flow.type } }),
    })
    return url
  }
}
