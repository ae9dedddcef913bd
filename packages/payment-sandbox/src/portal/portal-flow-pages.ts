import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import type { Words } from '../pages/words/english.js'
import { billedQuantity, type Price } from '../prices/prices.js'
import { type Subscription, totalOfItems } from '../subscriptions/subscription.js'
import { periodEnd } from '../subscriptions/subscription-changes.js'
import { actionForm, backLink, formatDate, isYearly, planName, subscriptionName } from './portal-elements.js'
import type { PortalSession } from './portal-session.js'

/** The page of a `subscription_cancel` flow. */
export function cancelPage(words: Words, session: PortalSession, subscription: Subscription): Html {
  const { id } = subscription
  const end = formatDate(words, periodEnd(subscription))
  return pageLayout(
    words,
    words.flow.cancel,
    html`<p>${words.flow.activeUntil(subscriptionName(words, subscription), end)}</p>
${actionForm(session, 'cancel', { subscription: id }, html`<button>${words.portal.cancelAtEnd}</button>`)}
${backLink(words, session)}`,
  )
}

/** The page of a `subscription_update` flow: changes the plan or quantity of the first item. */
export function updatePage(
  words: Words,
  session: PortalSession,
  subscription: Subscription,
  prices: Price[],
): Html {
  const { flow } = words
  const [item] = subscription.items.data
  return pageLayout(
    words,
    flow.change,
    html`${actionForm(
      session,
      'update',
      { subscription: subscription.id, item: item!.id },
      html`<fieldset><legend>${flow.plan}</legend>
${prices.map(price => planChoice(words, price, price.id === item!.price.id))}
</fieldset>
<label>${flow.quantity} <input type="number" name="quantity" min="1" max="9999" required value="${item!.quantity ?? 1}"></label>
<button>${flow.submitChange}</button>`,
    )}
${backLink(words, session)}`,
  )
}

function planChoice(words: Words, price: Price, isChosen: boolean): Html {
  const amount = money(price.unit_amount ?? 0, price.currency, words.locale)
  const every = price.recurring?.interval === 'year' ? words.pay.year : words.pay.month
  return html`<label class="choice"><input type="radio" name="price" value="${price.id}"${isChosen ? html` checked` : ''}>
<span>${planName(words, price.id, 1)}<small>${every}</small></span> <b>${amount}</b></label>
`
}

/** The page of a `subscription_update_confirm` flow: the subscription before and after the change. */
export function confirmPage(
  words: Words,
  session: PortalSession,
  subscription: Subscription,
  price: Price,
): Html {
  const { flow, locale } = words
  const [item] = session.flow!.subscription_update_confirm!.items
  const current = subscription.items.data.find(({ id }) => id === item!.id)!
  const quantity = item!.quantity ?? 1
  const total = (price.unit_amount ?? 0) * billedQuantity(price, item!.quantity)
  return pageLayout(
    words,
    flow.confirm,
    html`<dl>
<div><dt>${isYearly(subscription) ? flow.nowYearly : flow.nowMonthly}<small>${planName(words, current.price.id, current.quantity ?? 1)}</small></dt>
<dd>${money(totalOfItems(subscription), subscription.currency, locale)}</dd></div>
<div class="total"><dt>${price.recurring!.interval === 'year' ? flow.thenYearly : flow.thenMonthly}<small>${planName(words, price.id, quantity)}</small></dt><dd>${money(total, price.currency, locale)}</dd></div>
</dl>
<p class="quiet">${flow.difference}</p>
${actionForm(session, 'confirm', {}, html`<button>${flow.confirm}</button>`)}
${backLink(words, session)}`,
  )
}

/** The page of a `payment_method_update` flow. */
export function paymentMethodPage(words: Words, session: PortalSession): Html {
  return pageLayout(
    words,
    words.flow.method,
    html`<p>${words.flow.testCard}</p>
${actionForm(session, 'method', {}, html`<button>${words.flow.saveCard}</button>`)}
${backLink(words, session)}`,
  )
}

/** The page after a flow that ends with `hosted_confirmation`. */
export function donePage(words: Words, session: PortalSession): Html {
  const message = session.flow?.after_completion.hosted_confirmation?.custom_message
  return pageLayout(
    words,
    words.flow.done,
    html`<p>${message ?? words.flow.saved}</p>${backLink(words, session)}`,
  )
}

/** The page of a session whose customer has been deleted. */
export function deletedCustomerPage(words: Words, session: PortalSession): Html {
  return pageLayout(
    words,
    words.flow.deleted,
    html`<p>${words.flow.nothingToSee}</p>${backLink(words, session)}`,
  )
}
