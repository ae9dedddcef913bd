import { Controller, Get } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { MainSite } from '../../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { InvoiceList } from './invoice-list.js'
import { ListInvoicesDocs } from './invoices.dto.js'

@ApiTags('Billing')
@Controller('api/invoices')
export class InvoicesController {
  constructor(private readonly invoices: InvoiceList) {}

  /** The newest invoices of the caller's account. */
  @Get()
  @MainSite({ permission: 'payments' })
  @ListInvoicesDocs()
  async list(@CurrentActor() { accountId }: SessionActor) {
    return { invoices: await this.invoices.newest(accountId) }
  }
}
