import type { Checkout } from '../checkout/checkout.js'
import type { Checkouts } from '../checkout/checkouts.js'
import { isFilledIn } from '../checkout/payer-details.js'
import type { Customers } from '../customers/customers.js'
import { type Form, parseForm } from '../http/form.js'
import { text } from '../http/form-fields.js'
import { type PageAnswer, pageAnswer, pdfAnswer, redirectAnswer } from '../http/page-answer.js'
import type { ReceivedRequest } from '../http/received-request.js'
import { invoicePdf } from '../invoices/invoice-pdf.js'
import type { Payments } from '../payments/payments.js'
import { invoicePage } from '../portal/invoice-page.js'
import type { PortalPages } from '../portal/portal-pages.js'
import type { State } from '../state/state.js'
import type { Dunning } from '../subscriptions/dunning.js'
import { closedPage, notFoundPage } from './closed-page.js'
import { type PageAlert, payPage } from './pay-page.js'
import type { Words } from './words/english.js'
import { wordsFor } from './words/words.js'

/** The query of the page after a card was declined, and after a promotion code that does not exist. */
const DECLINED = 'declined'
const NO_CODE = 'code'

/**
 * The pages that customers see: the portal, `/pay/:id` with the buttons `pay`, `later`, `decline`, `promotion` and
 * `cancel`, and `/invoice/:id` with its PDF and the button `pay`.
 */
export class HostedPages {
  constructor(
    private readonly state: State,
    private readonly customers: Customers,
    private readonly checkouts: Checkouts,
    private readonly payments: Payments,
    private readonly portal: PortalPages,
    private readonly dunning: Dunning,
  ) {}

  answer(received: ReceivedRequest): PageAnswer {
    const { method, path, query, headers } = received
    const [, root, id = '', button, ...more] = path.split('/')
    if (root === 'portal') return this.portal.answer(received)
    const language = headers['accept-language']
    const words = wordsFor(this.state.checkouts.get(id)?.checkout.locale ?? null, language)
    if (root === 'invoice' && method === 'POST' && button === 'pay' && more.length === 0)
      return this.payInvoice(words, id)
    if (root === 'invoice' && method === 'GET') return this.showInvoice(words, id, button, more.length > 0)
    const isPage = root === 'pay' && this.state.checkouts.has(id) && more.length === 0
    if (isPage && method === 'GET' && button === undefined)
      return this.show(words, id, query === DECLINED ? 'declined' : query === NO_CODE ? 'unknownCode' : null)
    if (isPage && method === 'POST' && button !== undefined) {
      const answer = this.press(words, id, button, parseForm(received.body))
      if (answer) return answer
    }
    return pageAnswer(404, notFoundPage(words))
  }

  /** Null for a button that there is not. */
  private press(words: Words, id: string, button: string, details: Form): PageAnswer | null {
    if (button === 'pay') return this.pay(words, id, details, () => this.payments.pay(id, details))
    if (button === 'later')
      return this.pay(words, id, details, () => this.payments.payByBankDebit(id, details))
    if (button === 'decline') return this.decline(words, id)
    if (button === 'promotion') return this.applyPromotion(words, id, text(details, 'code') ?? '')
    return button === 'cancel' ? this.cancel(words, id) : null
  }

  private show(words: Words, id: string, alert: PageAlert | null): PageAnswer {
    const record = this.checkouts.find(id)
    const { checkout } = record
    if (checkout.status !== 'open') return closedAnswer(words, checkout)
    const email = checkout.customer ? this.customers.find(checkout.customer).email : checkout.customer_email
    return pageAnswer(alert === 'missing' ? 400 : 200, payPage(words, record, { email, alert }))
  }

  private showInvoice(words: Words, id: string, part: string | undefined, isDeeper: boolean): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (!invoice?.hosted_invoice_url || isDeeper) return pageAnswer(404, notFoundPage(words))
    if (part === undefined) return pageAnswer(200, invoicePage(words, invoice, null))
    return part === 'pdf' ? pdfAnswer(invoicePdf(invoice)) : pageAnswer(404, notFoundPage(words))
  }

  /** Also what confirms a payment; a second click finds the invoice paid. */
  private payInvoice(words: Words, id: string): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (!invoice?.hosted_invoice_url) return pageAnswer(404, notFoundPage(words))
    if (invoice.status === 'open') this.dunning.pay(invoice)
    return redirectAnswer(invoice.hosted_invoice_url)
  }

  /** A second click on Pay finds the checkout complete, and redirects to the same place as the first. */
  private pay(words: Words, id: string, details: Form, pay: () => void): PageAnswer {
    const record = this.checkouts.find(id)
    const { checkout } = record
    if (checkout.status === 'expired') return closedAnswer(words, checkout)
    if (checkout.status === 'open' && !isFilledIn(record, details)) return this.show(words, id, 'missing')
    if (checkout.status === 'open') pay()
    return redirectAnswer(returnUrl(checkout)!)
  }

  /** Back to the page, which says so, as if a test card had been declined: nothing is paid. */
  private decline(words: Words, id: string): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status !== 'open') return closedAnswer(words, checkout)
    this.payments.decline(id)
    return redirectAnswer(`${checkout.url}?${DECLINED}`)
  }

  private applyPromotion(words: Words, id: string, code: string): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status !== 'open') return closedAnswer(words, checkout)
    return redirectAnswer(
      this.checkouts.applyPromotion(id, code) ? checkout.url! : `${checkout.url}?${NO_CODE}`,
    )
  }

  /** Leaves the checkout open, as Stripe does: the customer may come back and pay. */
  private cancel(words: Words, id: string): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status !== 'open' || !checkout.cancel_url) return closedAnswer(words, checkout)
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

function closedAnswer(words: Words, checkout: Checkout): PageAnswer {
  const status = checkout.status === 'expired' ? 410 : 200
  return pageAnswer(status, closedPage(words, checkout, returnUrl(checkout)))
}
