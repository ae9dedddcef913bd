import { Controller, Get } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { LRUCache } from 'lru-cache'
import Stripe from 'stripe'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Instant, ListOf, OneOf, Text, Url, Whole } from '../platform/http/fields.js'
import { MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { BillingCustomers } from './customers.js'
import { callStripeOrNull, PROVIDER_REFUSALS, ProviderBulkhead } from './stripe.js'

/** Two years of monthly invoices; the provider's portal has the rest. */
const NEWEST = 24
/** How long a page waits for the provider. */
const PATIENCE_MS = 3_000
/** Reloading a page does not ask the provider again. */
const FRESH_MS = 20_000
const MAX_CUSTOMERS = 2_000

const INVOICE_STATUSES = ['open', 'paid', 'uncollectible', 'void'] as const
type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** An invoice that has been issued, as the provider has it. */
class InvoiceAnswer {
  @Text({ example: 'in_1MtHbELkdIwHu7ixl4OzzPMv' }) id!: string
  @Text({ nullable: true, example: 'A1B2C3D4-0001' }) number!: string | null
  @Instant() createdAt!: Date

  @Whole({ example: 2000, description: "In the currency's smallest unit; negative for a credit" })
  amount!: number

  @Text({ example: 'usd', description: 'ISO 4217, lower case' }) currency!: string
  @OneOf(INVOICE_STATUSES, { description: '`open`: to be paid. Drafts are left out.' }) status!: InvoiceStatus

  @Url({
    nullable: true,
    description: 'The provider’s page to see and pay it; anyone with the address can open it',
  })
  url!: string | null

  @Url({ nullable: true }) pdfUrl!: string | null
}

class InvoicesAnswer {
  @ListOf(InvoiceAnswer, { description: 'Newest first, 24 at most' }) invoices!: readonly InvoiceAnswer[]
}

/** The invoices of accounts, from the provider: none of it is stored here. */
@ApiTags('Billing')
@Controller('api/invoices')
export class InvoicesController {
  private readonly answers = new LRUCache<string, Promise<readonly InvoiceAnswer[]>>({
    max: MAX_CUSTOMERS,
    ttl: FRESH_MS,
  })

  constructor(
    private readonly stripe: Stripe,
    private readonly customers: BillingCustomers,
    private readonly bulkhead: ProviderBulkhead,
  ) {}

  @Get()
  @MainSite({ permission: 'payments' })
  @ApiOperation({
    summary: 'The newest invoices of the account',
    description:
      'Main site only, with payments. As the payment provider has them, up to 20 s old; none for an account that has never paid. ' +
      'The pages of `POST /api/subscription/portal` have all of them.',
  })
  @Answers(200, 'The invoices', InvoicesAnswer)
  @Refuses('PAYMENTS_OFF', 'TOO_BUSY', ...PROVIDER_REFUSALS)
  async list(@CurrentActor() { accountId }: SessionActor): Promise<InvoicesAnswer> {
    const customer = await this.customers.find(accountId)
    return { invoices: customer === null ? [] : await this.newestOf(customer) }
  }

  private newestOf(customer: string): Promise<readonly InvoiceAnswer[]> {
    const known = this.answers.get(customer)
    if (known) return known
    const answer = this.bulkhead.run(() => this.read(customer), PATIENCE_MS)
    this.answers.set(customer, answer)
    // The waiting page gets the error; the next one asks again.
    answer.catch(() => this.answers.delete(customer))
    return answer
  }

  private async read(customer: string): Promise<readonly InvoiceAnswer[]> {
    const page = await callStripeOrNull(() => this.stripe.invoices.list({ customer, limit: NEWEST }))
    return (page?.data ?? []).flatMap(issued)
  }
}

/** Empty for a draft, which nobody has been asked to pay yet. */
function issued(invoice: Stripe.Invoice): InvoiceAnswer[] {
  const { id, number, created, total, currency, hosted_invoice_url, invoice_pdf } = invoice
  const status = INVOICE_STATUSES.find(each => each === invoice.status)
  if (!id || !status) return []
  return [
    {
      id,
      number,
      amount: total,
      currency,
      status,
      createdAt: new Date(created * 1000),
      url: hosted_invoice_url ?? null,
      pdfUrl: invoice_pdf ?? null,
    },
  ]
}
