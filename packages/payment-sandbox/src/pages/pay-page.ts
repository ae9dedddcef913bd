import { type CheckoutLine, type CheckoutRecord, totalOf } from '../checkout/checkout.js'
import { type Html, html } from './html.js'
import { money } from './money.js'
import { pageLayout } from './page-layout.js'

/** The page of an open checkout: what is bought, where the receipt goes, and the buttons Pay and Cancel. */
export function payPage(record: CheckoutRecord, email: string | null): Html {
  const { checkout, lines } = record
  const action = `/pay/${checkout.id}`
  const receipt = email && checkout.mode !== 'setup' ? html` A real receipt would go to ${email}.` : ''
  return pageLayout(
    TITLES[checkout.mode]!,
    html`${lines.length > 0 ? amounts(record) : ''}
<p class="quiet">${chargeNotice(record)}${receipt}</p>
<form method="post" action="${action}/pay"><button>${buttonText(record)}</button></form>
${
  checkout.amount_total
    ? html`<form method="post" action="${action}/later"><button class="second">Pay by bank debit (takes days)</button></form>`
    : ''
}
${
  checkout.cancel_url
    ? html`<form method="post" action="${action}/cancel"><button class="second">Cancel</button></form>`
    : ''
}`,
  )
}

const PERIODS: Record<string, string> = { month: 'Monthly subscription', year: 'Yearly subscription' }

const TITLES: Record<string, string> = {
  subscription: 'Start your subscription',
  payment: 'Complete your payment',
  setup: 'Save a payment method',
}

function amounts({ checkout, lines }: CheckoutRecord): Html {
  return html`<dl class="due">
${lines.map(lineRow)}
<div class="total"><dt>Total due today</dt><dd>${money(checkout.amount_total ?? 0, checkout.currency ?? 'usd')}</dd></div>
</dl>`
}

function chargeNotice({ checkout, lines, trialDays }: CheckoutRecord): string {
  if (checkout.mode === 'setup') return 'Nothing is charged.'
  if (checkout.mode === 'payment') return 'You are charged only once.'
  const when = trialDays ? `After ${trialDays} free days` : 'Then'
  const { price } = lines[0]!
  const every = price.recurring?.interval ?? 'month'
  return `${when} ${money(totalOf(lines), price.currency)} every ${every} until you cancel.`
}

function buttonText({ checkout, trialDays }: CheckoutRecord): string {
  if (checkout.mode === 'setup') return 'Save card'
  return trialDays ? 'Start trial' : `Pay ${money(checkout.amount_total ?? 0, checkout.currency ?? 'usd')}`
}

function lineRow({ price, quantity }: CheckoutLine): Html {
  const amount = money((price.unit_amount ?? 0) * quantity, price.currency)
  const count = quantity === 1 ? '' : ` × ${quantity}`
  return html`<div><dt>${price.recurring ? PERIODS[price.recurring.interval]! : 'One-time payment'}${count}<small>${price.id}</small></dt><dd>${amount}</dd></div>`
}
