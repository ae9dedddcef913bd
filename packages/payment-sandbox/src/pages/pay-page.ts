import {
  type CHECKOUT_MODES,
  type CheckoutLine,
  type CheckoutRecord,
  takesCard,
  totalOf,
} from '../checkout/checkout.js'
import { billedQuantity } from '../prices/prices.js'
import { productName } from '../prices/products.js'
import { type Html, html } from './html.js'
import { money } from './money.js'
import { pageLayout } from './page-layout.js'
import type { Words } from './words/english.js'

/**
 * The page of an open checkout: what is bought, where the receipt goes, and the buttons. `isDeclined`: the card that
 * was tried last was declined.
 */
export function payPage(
  words: Words,
  record: CheckoutRecord,
  { email, isDeclined }: { email: string | null; isDeclined: boolean },
): Html {
  const { checkout, lines } = record
  const action = `/pay/${checkout.id}`
  const receipt = email && checkout.mode !== 'setup' ? ` ${words.pay.receipt(email)}` : ''
  return pageLayout(
    words,
    words.pay[checkout.mode as (typeof CHECKOUT_MODES)[number]],
    html`${isDeclined ? html`<p class="alert" role="alert">${words.pay.declined}</p>` : ''}
${lines.length > 0 ? amounts(words, record) : ''}
<p class="quiet">${chargeNotice(words, record)}${receipt}</p>
<form method="post" action="${action}/pay"><button>${buttonText(words, record)}</button></form>
${
  checkout.amount_total
    ? html`<form method="post" action="${action}/later"><button class="second">${words.pay.later}</button></form>`
    : ''
}
${
  takesCard(checkout)
    ? html`<form method="post" action="${action}/decline"><button class="second">${words.pay.refused}</button></form>`
    : ''
}
${
  checkout.cancel_url
    ? html`<form method="post" action="${action}/cancel"><button class="second">${words.pay.cancel}</button></form>`
    : ''
}`,
  )
}

function amounts(words: Words, record: CheckoutRecord): Html {
  return html`<dl class="due">
${record.lines.map(line => lineRow(words, line))}
<div class="total"><dt>${words.pay.totalToday}</dt><dd>${totalToday(words, record)}</dd></div>
</dl>`
}

function chargeNotice({ pay, locale }: Words, { checkout, lines, trialDays }: CheckoutRecord): string {
  if (checkout.mode === 'setup') return pay.free
  if (checkout.mode === 'payment') return pay.once
  const { price } = lines[0]!
  const amount = money(totalOf(lines), price.currency, locale)
  const every = price.recurring?.interval === 'year' ? pay.everyYear : pay.everyMonth
  return every(amount, trialDays ?? null)
}

function buttonText(words: Words, record: CheckoutRecord): string {
  if (record.checkout.mode === 'setup') return words.pay.saveCard
  return record.trialDays ? words.pay.startTrial : words.pay.pay(totalToday(words, record))
}

function totalToday({ locale }: Words, { checkout }: CheckoutRecord): string {
  return money(checkout.amount_total ?? 0, checkout.currency ?? 'usd', locale)
}

function lineRow(words: Words, { price, quantity }: CheckoutLine): Html {
  const { pay, code, locale } = words
  const { id, recurring } = price
  const amount = money((price.unit_amount ?? 0) * billedQuantity(price, quantity), price.currency, locale)
  const name = recurring ? productName(id, code) : pay.oneTime
  const count = (quantity ?? 1) === 1 ? '' : ` × ${quantity}`
  const every = recurring ? html`<small>${recurring.interval === 'year' ? pay.year : pay.month}</small>` : ''
  return html`<div><dt>${name}${count}${every}</dt><dd>${amount}</dd></div>`
}
