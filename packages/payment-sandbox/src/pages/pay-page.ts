import { type CHECKOUT_MODES, type CheckoutLine, type CheckoutRecord, totalOf } from '../checkout/checkout.js'
import { needsNoMethod, takesCard, takesDebit } from '../checkout/checkout-options.js'
import { askedFields, type PayerField } from '../checkout/payer-details.js'
import { billedQuantity } from '../prices/prices.js'
import { productName } from '../prices/products.js'
import { PROMOTION_CODE, totalsOf } from '../prices/totals.js'
import { type Html, html } from './html.js'
import { money } from './money.js'
import { pageLayout } from './page-layout.js'
import type { Words } from './words/english.js'

/** What the page says about the last button: the keys of the words about it. */
export type PageAlert = 'declined' | 'unknownCode' | 'missing'

/** The page of an open checkout: what is bought, where the receipt goes, what to fill in, and the buttons. */
export function payPage(
  words: Words,
  record: CheckoutRecord,
  { email, alert }: { email: string | null; alert: PageAlert | null },
): Html {
  const { checkout, lines } = record
  const { pay } = words
  const action = `/pay/${checkout.id}`
  const receipt = email && checkout.mode !== 'setup' ? ` ${pay.receipt(email)}` : ''
  const noCard = needsNoMethod(checkout) ? ` ${pay.noCard}` : ''
  return pageLayout(
    words,
    pay[checkout.mode as (typeof CHECKOUT_MODES)[number]],
    html`${alert ? html`<p class="alert" role="alert">${pay[alert]}</p>` : ''}
${lines.length > 0 ? amounts(words, record) : ''}
<p class="quiet">${chargeNotice(words, record)}${receipt}${noCard}</p>
${methodNotice(words, record)}
${checkout.allow_promotion_codes ? promotionForm(words, record) : ''}
<form method="post" action="${action}/pay">${fieldsOf(words, record)}<button>${buttonText(words, record)}</button>
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
function methodNotice({ pay }: Words, { checkout }: CheckoutRecord): Html | string {
  const { payment_method_configuration_details: configuration, payment_method_types } = checkout
  const isChosen = checkout.allowed_payment_method_types ?? checkout.excluded_payment_method_types
  if (!isChosen && !configuration) return ''
  const methods = [...(isChosen ? payment_method_types : []), ...(configuration ? [configuration.id] : [])]
  return html`<p class="quiet">${pay.methods(methods.join(', '))}</p>`
}

function promotionForm({ pay }: Words, { checkout, discountId }: CheckoutRecord): Html {
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

function fieldsOf({ pay }: Words, record: CheckoutRecord): Html[] {
  return [...askedFields(record)].map(([name, isRequired]) => {
    const required = isRequired ? html` required` : ''
    if (name === 'terms' || name === 'promotions')
      return html`<label><input type="checkbox" name="${name}"${required}> ${pay.fields[name]}</label>`
    const hint = html`autocomplete="${AUTOCOMPLETE[name] ?? 'off'}"`
    const length = name === 'country' ? html` minlength="2" maxlength="2"` : ''
    return html`<label>${pay.fields[name]}<input name="${name}" ${hint}${length}${required}></label>`
  })
}

function amounts(words: Words, record: CheckoutRecord): Html {
  return html`<dl class="due">
${record.lines.map(line => lineRow(words, line))}
${extraRow(words, record, 'discount')}${extraRow(words, record, 'tax')}
<div class="total"><dt>${words.pay.totalToday}</dt><dd>${totalToday(words, record)}</dd></div>
</dl>`
}

function extraRow(
  { pay, locale }: Words,
  { checkout }: CheckoutRecord,
  kind: 'discount' | 'tax',
): Html | string {
  const { amount_discount, amount_tax } = checkout.total_details!
  const cents = kind === 'tax' ? amount_tax : -amount_discount
  if (cents === 0) return ''
  return html`<div><dt>${pay[kind]}</dt><dd>${money(cents, checkout.currency ?? 'usd', locale)}</dd></div>`
}

function chargeNotice(
  { pay, locale }: Words,
  { checkout, discountId, lines, trialDays }: CheckoutRecord,
): string {
  if (checkout.mode === 'setup') return pay.free
  if (checkout.mode === 'payment') return pay.once
  const { price } = lines[0]!
  const { total } = totalsOf(totalOf(lines), {
    isDiscounted: discountId !== undefined,
    isTaxed: checkout.automatic_tax.enabled,
  })
  const amount = money(total, price.currency, locale)
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
