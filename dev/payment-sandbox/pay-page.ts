import { type Html, html } from '../../src/mail/html.js'
import { type CheckoutLine, type CheckoutRecord, totalOf } from './checkout.js'
import { pageLayout } from './page-layout.js'

/** The page of an open checkout: what is bought, for whom, and the buttons Pay and Cancel. */
export function payPage({ checkout, lines }: CheckoutRecord, email: string | null): Html {
  const total = money(totalOf(lines))
  const action = `/pay/${checkout.id}`
  return pageLayout(
    'Start your subscription',
    html`<dl>
${lines.map(lineRow)}
<div class="total"><dt>Total due today</dt><dd>${total}</dd></div>
</dl>
<p class="quiet">Then ${total} every month until you cancel.${email ? html` The receipt would go to ${email}.` : ''}</p>
<form method="post" action="${action}/pay"><button>Pay ${total}</button></form>
${
  checkout.cancel_url
    ? html`<form method="post" action="${action}/cancel"><button class="second">Cancel</button></form>`
    : ''
}`,
  )
}

function lineRow({ price, quantity }: CheckoutLine): Html {
  const amount = money((price.unit_amount ?? 0) * quantity)
  const count = quantity === 1 ? '' : ` × ${quantity}`
  return html`<div><dt>Monthly subscription${count}<small>${price.id}</small></dt><dd>${amount}</dd></div>`
}

function money(cents: number): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100)
}
