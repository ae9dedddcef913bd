import type { Checkout } from '../checkout/checkout.js'
import type { Checkouts } from '../checkout/checkouts.js'
import type { Customers } from '../customers/customers.js'
import { type PageAnswer, pageAnswer, pdfAnswer, redirectAnswer } from '../http/page-answer.js'
import type { ReceivedRequest } from '../http/received-request.js'
import { invoicePdf } from '../invoices/invoice-pdf.js'
import type { Payments } from '../payments/payments.js'
import { invoicePage } from '../portal/invoice-page.js'
import type { PortalPages } from '../portal/portal-pages.js'
import type { State } from '../state/state.js'
import { closedPage, notFoundPage } from './closed-page.js'
import { payPage } from './pay-page.js'

/**
 * The pages that customers see: the portal, `/pay/:id` with the buttons `pay`, `later` and `cancel`, and
 * `/invoice/:id` with its PDF.
 */
export class HostedPages {
  constructor(
    private readonly state: State,
    private readonly customers: Customers,
    private readonly checkouts: Checkouts,
    private readonly payments: Payments,
    private readonly portal: PortalPages,
  ) {}

  answer(received: ReceivedRequest): PageAnswer {
    const { method, path } = received
    const [, root, id = '', button, ...more] = path.split('/')
    if (root === 'portal') return this.portal.answer(received)
    if (root === 'invoice' && method === 'GET') return this.showInvoice(id, button, more.length > 0)
    const isPage = root === 'pay' && this.state.checkouts.has(id) && more.length === 0
    if (isPage && method === 'GET' && button === undefined) return this.show(id)
    if (isPage && method === 'POST' && button === 'pay') return this.pay(id, () => this.payments.pay(id))
    if (isPage && method === 'POST' && button === 'later')
      return this.pay(id, () => this.payments.payByBankDebit(id))
    if (isPage && method === 'POST' && button === 'cancel') return this.cancel(id)
    return pageAnswer(404, notFoundPage())
  }

  private show(id: string): PageAnswer {
    const record = this.checkouts.find(id)
    const { checkout } = record
    if (checkout.status !== 'open') return closedAnswer(checkout)
    const email = checkout.customer ? this.customers.find(checkout.customer).email : checkout.customer_email
    return pageAnswer(200, payPage(record, email))
  }

  private showInvoice(id: string, part: string | undefined, isDeeper: boolean): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (!invoice?.hosted_invoice_url || isDeeper) return pageAnswer(404, notFoundPage())
    if (part === undefined) return pageAnswer(200, invoicePage(invoice, null))
    return part === 'pdf' ? pdfAnswer(invoicePdf(invoice)) : pageAnswer(404, notFoundPage())
  }

  /** A second click on Pay finds the checkout complete, and redirects to the same place as the first. */
  private pay(id: string, pay: () => void): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status === 'expired') return closedAnswer(checkout)
    if (checkout.status === 'open') pay()
    return redirectAnswer(returnUrl(checkout)!)
  }

  /** Leaves the checkout open, as Stripe does: the customer may come back and pay. */
  private cancel(id: string): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status !== 'open' || !checkout.cancel_url) return closedAnswer(checkout)
    return redirectAnswer(checkout.cancel_url)
  }
}

/**
 * Where to send the browser after a checkout: the success URL, with the checkout's id filled in, or the
 * cancel URL.
 */
function returnUrl({ id, status, success_url, cancel_url }: Checkout): string | null {
  return status === 'complete' ? success_url!.replaceAll('{CHECKOUT_SESSION_ID}', id) : cancel_url
}

function closedAnswer(checkout: Checkout): PageAnswer {
  return pageAnswer(checkout.status === 'expired' ? 410 : 200, closedPage(checkout, returnUrl(checkout)))
}
