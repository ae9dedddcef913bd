import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../../platform/http/endpoint.js'
import { PROVIDER_REFUSALS } from '../provider/payment-provider.js'
import { INVOICE_STATUSES, type InvoiceStatus } from './invoice-list.js'

class InvoiceAnswer {
  @ApiProperty({ type: String, example: 'in_1MtHbELkdIwHu7ixl4OzzPMv' })
  id!: string

  @ApiProperty({ type: String, nullable: true, example: 'A1B2C3D4-0001' })
  number!: string | null

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date

  @ApiProperty({
    type: 'integer',
    example: 2000,
    description: "In the currency's smallest unit; negative for a credit",
  })
  amount!: number

  @ApiProperty({ type: String, example: 'usd', description: 'ISO 4217, lower case' })
  currency!: string

  @ApiProperty({
    enum: INVOICE_STATUSES,
    description: '`open`: to be paid. Drafts are left out.',
  })
  status!: InvoiceStatus

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    description: 'The page of the provider to see and pay it; whoever has the address can open it',
  })
  url!: string | null

  @ApiProperty({ type: String, format: 'uri', nullable: true })
  pdfUrl!: string | null
}

class InvoicesAnswer {
  @ApiProperty({ type: [InvoiceAnswer], description: 'Newest first, 24 at most' })
  invoices!: InvoiceAnswer[]
}

export const ListInvoicesDocs = () =>
  Documented({
    summary: 'The newest invoices of the account',
    description:
      'Main site only, with payments. As the payment provider has them, up to 20 s old; none for an account that has never paid. ' +
      'The pages of `POST /api/subscription/portal` have all of them.',
    status: 200,
    answer: 'The invoices',
    type: InvoicesAnswer,
    refusals: [...PROVIDER_REFUSALS, 'DATABASE_UNAVAILABLE', 'TOO_BUSY'],
  })
