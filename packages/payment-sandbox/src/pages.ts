import {
  askedFields,
  type CHECKOUT_MODES,
  type Checkout,
  type CheckoutLine,
  type CheckoutRecord,
  isFilledIn,
  needsNoMethod,
  type PayerField,
  takesCard,
  takesDebit,
  totalOf,
} from './checkout.js'
import type { Checkouts } from './checkouts.js'
import type { Customers } from './customers.js'
import type { Dunning } from './dunning.js'
import { type Form, parseForm, type ReceivedRequest, text } from './http.js'
import { type Invoice, invoicePdf } from './invoice.js'
import type { Invoices } from './invoices.js'
import {
  closedPage,
  type Html,
  html,
  money,
  notFoundPage,
  type PageAnswer,
  pageAnswer,
  pageLayout,
  pdfAnswer,
  redirectAnswer,
} from './page.js'
import type { Payments } from './payments.js'
import { invoicePage, type PortalPages } from './portal-pages.js'
import { billedQuantity, PROMOTION_CODE, productName, totalsOf } from './prices.js'
import type { State } from './state.js'
import { words } from './words.js'

/** What the page says about the last button: the keys of the words about it. */
type PageAlert = 'declined' | 'unknownCode' | 'missing'

/** The page of an open checkout: what is bought, where the receipt goes, what to fill in, and the buttons. */
function payPage(
  record: CheckoutRecord,
  { email, alert }: { email: string | null; alert: PageAlert | null },
): Html {
  const { checkout, lines } = record
  const { pay } = words
  const action = `/pay/${checkout.id}`
  const receipt = email && checkout.mode !== 'setup' ? ` ${pay.receipt(email)}` : ''
  const noCard = needsNoMethod(checkout) ? ` ${pay.noCard}` : ''
  return pageLayout(
    pay[checkout.mode as (typeof CHECKOUT_MODES)[number]],
    html`${alert ? html`<p class="alert" role="alert">${pay[alert]}</p>` : ''}
${lines.length > 0 ? amounts(record) : ''}
<p class="quiet">${chargeNotice(record)}${receipt}${noCard}</p>
${methodNotice(record)}
${checkout.allow_promotion_codes ? promotionForm(record) : ''}
<form method="post" action="${action}/pay">${fieldsOf(record)}<button>${buttonText(record)}</button>
${takesDebit(checkout) ? html`<button class="second" formaction="${action}/later">${pay.later}</button>` : ''}</form>
${
  takesCard(checkout)
    ? html`<form method="post" action="${action}/decline"><button class="second">${pay.refused}</button></form>`
    : ''
}
${
  checkout.cancel_url
    ? html`<form method="post" action="${action}/cancel"><button class="second">${pay.cancel}</button></form>`
    : ''
}`,
  )
}

/** Which payment methods there are, where that was chosen. */
function methodNotice({ checkout }: CheckoutRecord): Html | string {
  const { pay } = words
  const { payment_method_configuration_details: configuration, payment_method_types } = checkout
  const isChosen = checkout.allowed_payment_method_types ?? checkout.excluded_payment_method_types
  if (!isChosen && !configuration) return ''
  const methods = [...(isChosen ? payment_method_types : []), ...(configuration ? [configuration.id] : [])]
  return html`<p class="quiet">${pay.methods(methods.join(', '))}</p>`
}

function promotionForm({ checkout, discountId }: CheckoutRecord): Html {
  const { pay } = words
  if (discountId) return html`<p class="quiet">${pay.codeApplied(PROMOTION_CODE)}</p>`
  return html`<form method="post" action="/pay/${checkout.id}/promotion">
<label>${pay.code(PROMOTION_CODE)}<input name="code" required></label>
<button class="second">${pay.applyCode}</button></form>`
}

const AUTOCOMPLETE: Partial<Record<PayerField, string>> = {
  line1: 'address-line1',
  postal_code: 'postal-code',
  city: 'address-level2',
  country: 'country',
  phone: 'tel',
  business_name: 'organization',
}

function fieldsOf(record: CheckoutRecord): Html[] {
  const { pay } = words
  return [...askedFields(record)].map(([name, isRequired]) => {
    const required = isRequired ? html` required` : ''
    if (name === 'terms' || name === 'promotions')
      return html`<label><input type="checkbox" name="${name}"${required}> ${pay.fields[name]}</label>`
    const hint = html`autocomplete="${AUTOCOMPLETE[name] ?? 'off'}"`
    const length = name === 'country' ? html` minlength="2" maxlength="2"` : ''
    return html`<label>${pay.fields[name]}<input name="${name}" ${hint}${length}${required}></label>`
  })
}

function amounts(record: CheckoutRecord): Html {
  return html`<dl class="due">
${record.lines.map(line => lineRow(line))}
${extraRow(record, 'discount')}${extraRow(record, 'tax')}
<div class="total"><dt>${words.pay.totalToday}</dt><dd>${totalToday(record)}</dd></div>
</dl>`
}

function extraRow({ checkout }: CheckoutRecord, kind: 'discount' | 'tax'): Html | string {
  const { pay } = words
  const { amount_discount, amount_tax } = checkout.total_details!
  const cents = kind === 'tax' ? amount_tax : -amount_discount
  if (cents === 0) return ''
  return html`<div><dt>${pay[kind]}</dt><dd>${money(cents, checkout.currency ?? 'usd')}</dd></div>`
}

function chargeNotice({ checkout, discountId, lines, trialDays }: CheckoutRecord): string {
  const { pay } = words
  if (checkout.mode === 'setup') return pay.free
  if (checkout.mode === 'payment') return pay.once
  const { price } = lines[0]!
  const { total } = totalsOf(totalOf(lines), {
    isDiscounted: discountId !== undefined,
    isTaxed: checkout.automatic_tax.enabled,
  })
  const amount = money(total, price.currency)
  const every = price.recurring?.interval === 'year' ? pay.everyYear : pay.everyMonth
  return every(amount, trialDays ?? null)
}

function buttonText(record: CheckoutRecord): string {
  if (record.checkout.mode === 'setup') return words.pay.saveCard
  return record.trialDays ? words.pay.startTrial : words.pay.pay(totalToday(record))
}

function totalToday({ checkout }: CheckoutRecord): string {
  return money(checkout.amount_total ?? 0, checkout.currency ?? 'usd')
}

function lineRow({ price, quantity }: CheckoutLine): Html {
  const { pay } = words
  const { id, recurring } = price
  const amount = money((price.unit_amount ?? 0) * billedQuantity(price, quantity), price.currency)
  const name = recurring ? productName(id) : pay.oneTime
  const count = (quantity ?? 1) === 1 ? '' : ` × ${quantity}`
  const every = recurring ? html`<small>${recurring.interval === 'year' ? pay.year : pay.month}</small>` : ''
  return html`<div><dt>${name}${count}${every}</dt><dd>${amount}</dd></div>`
}

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
    private readonly invoices: Invoices,
    private readonly payments: Payments,
    private readonly portal: PortalPages,
    private readonly dunning: Dunning,
  ) {}

  answer(received: ReceivedRequest): PageAnswer {
    const { method, path, query } = received
    const [, root, id = '', button, ...more] = path.split('/')
    if (root === 'portal') return this.portal.answer(received)
    if (root === 'invoice' && method === 'POST' && button === 'pay' && more.length === 0)
      return this.payInvoice(id)
    if (root === 'invoice' && method === 'GET') return this.showInvoice(id, button, more.length > 0)
    const isPage = root === 'pay' && this.state.checkouts.has(id) && more.length === 0
    if (isPage && method === 'GET' && button === undefined)
      return this.show(id, query === DECLINED ? 'declined' : query === NO_CODE ? 'unknownCode' : null)
    if (isPage && method === 'POST' && button !== undefined) {
      const answer = this.press(id, button, parseForm(received.body))
      if (answer) return answer
    }
    return pageAnswer(404, notFoundPage())
  }

  /** Null for a button that there is not. */
  private press(id: string, button: string, details: Form): PageAnswer | null {
    if (button === 'pay') return this.pay(id, details, () => this.payments.pay(id, details))
    if (button === 'later') return this.pay(id, details, () => this.payments.payByBankDebit(id, details))
    if (button === 'decline') return this.decline(id)
    if (button === 'promotion') return this.applyPromotion(id, text(details, 'code') ?? '')
    return button === 'cancel' ? this.cancel(id) : null
  }

  private show(id: string, alert: PageAlert | null): PageAnswer {
    const record = this.checkouts.find(id)
    const { checkout } = record
    if (checkout.status !== 'open') return closedAnswer(checkout)
    const email = checkout.customer ? this.customers.find(checkout.customer).email : checkout.customer_email
    return pageAnswer(alert === 'missing' ? 400 : 200, payPage(record, { email, alert }))
  }

  private showInvoice(id: string, part: string | undefined, isDeeper: boolean): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (!invoice?.hosted_invoice_url || isDeeper) return pageAnswer(404, notFoundPage())
    if (part === undefined) return pageAnswer(200, invoicePage(invoice, null, this.isPayable(invoice)))
    return part === 'pdf' ? pdfAnswer(invoicePdf(invoice)) : pageAnswer(404, notFoundPage())
  }

  /** Also what confirms a payment; a second click finds the invoice paid. */
  private payInvoice(id: string): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (!invoice?.hosted_invoice_url) return pageAnswer(404, notFoundPage())
    if (this.isPayable(invoice)) this.dunning.pay(invoice)
    return redirectAnswer(invoice.hosted_invoice_url)
  }

  /** Not while a payment of it is on its way. */
  private isPayable(invoice: Invoice): boolean {
    return invoice.status === 'open' && !this.invoices.isProcessing(invoice)
  }

  /** A second click on Pay finds the checkout complete, and redirects to the same place as the first. */
  private pay(id: string, details: Form, pay: () => void): PageAnswer {
    const record = this.checkouts.find(id)
    const { checkout } = record
    if (checkout.status === 'expired') return closedAnswer(checkout)
    if (checkout.status === 'open' && !isFilledIn(record, details)) return this.show(id, 'missing')
    if (checkout.status === 'open') pay()
    return redirectAnswer(returnUrl(checkout)!)
  }

  /** Back to the page, which says so, as if a test card had been declined: nothing is paid. */
  private decline(id: string): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status !== 'open') return closedAnswer(checkout)
    this.payments.decline(id)
    return redirectAnswer(`${checkout.url}?${DECLINED}`)
  }

  private applyPromotion(id: string, code: string): PageAnswer {
    const { checkout } = this.checkouts.find(id)
    if (checkout.status !== 'open') return closedAnswer(checkout)
    return redirectAnswer(
      this.checkouts.applyPromotion(id, code) ? checkout.url! : `${checkout.url}?${NO_CODE}`,
    )
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
  const status = checkout.status === 'expired' ? 410 : 200
  return pageAnswer(status, closedPage(checkout, returnUrl(checkout)))
}
