import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import type { Price } from '../prices/prices.js'
import { type Subscription, totalOfItems } from '../subscriptions/subscription.js'
import { periodEnd } from '../subscriptions/subscription-changes.js'
import { actionForm, backLink, formatDate, perPeriod, planName, subscriptionName } from './portal-elements.js'
import type { PortalSession } from './portal-session.js'

/** The page of a `subscription_cancel` flow. */
export function cancelPage(session: PortalSession, subscription: Subscription): Html {
  const { id } = subscription
  return pageLayout(
    'Cancel your subscription',
    html`<p>${subscriptionName(subscription)} remains active until <strong>${formatDate(periodEnd(subscription))}</strong>,
after which nothing more is charged.</p>
${actionForm(session, 'cancel', { subscription: id }, html`<button>Cancel at period end</button>`)}
${backLink(session)}`,
  )
}

/** The page of a `subscription_update` flow: changes the plan or quantity of the first item. */
export function updatePage(session: PortalSession, subscription: Subscription, prices: Price[]): Html {
  const [item] = subscription.items.data
  const options = prices.map(price => {
    const name = `${price.id}, ${money(price.unit_amount ?? 0, price.currency)}`
    return price.id === item!.price.id
      ? html`<option value="${price.id}" selected>${name}</option>`
      : html`<option value="${price.id}">${name}</option>`
  })
  return pageLayout(
    'Change your subscription',
    html`${actionForm(
      session,
      'update',
      { subscription: subscription.id, item: item!.id },
      html`<label>Plan <select name="price">${options}</select></label>
<label>Quantity <input type="number" name="quantity" min="1" max="9999" required value="${item!.quantity ?? 1}"></label>
<button>Change the subscription</button>`,
    )}
${backLink(session)}`,
  )
}

/** The page of a `subscription_update_confirm` flow: the subscription before and after the change. */
export function confirmPage(session: PortalSession, subscription: Subscription, price: Price): Html {
  const [item] = session.flow!.subscription_update_confirm!.items
  const current = subscription.items.data.find(({ id }) => id === item!.id)!
  const quantity = item!.quantity ?? current.quantity ?? 1
  const total = (price.unit_amount ?? 0) * quantity
  return pageLayout(
    'Confirm the change',
    html`<dl>
<div><dt>Now, ${perPeriod(subscription)}<small>${planName(current.price.id, current.quantity ?? 1)}</small></dt>
<dd>${money(totalOfItems(subscription), subscription.currency)}</dd></div>
<div class="total"><dt>Then, a ${price.recurring!.interval}<small>${planName(price.id, quantity)}</small></dt><dd>${money(total, price.currency)}</dd></div>
</dl>
<p class="quiet">If the new price is higher, the difference for the rest of this period is charged now.</p>
${actionForm(session, 'confirm', {}, html`<button>Confirm the change</button>`)}
${backLink(session)}`,
  )
}

/** The page of a `payment_method_update` flow. */
export function paymentMethodPage(session: PortalSession): Html {
  return pageLayout(
    'Update your payment method',
    html`<p>Stripe would ask for a card here; the sandbox uses a test card.</p>
${actionForm(session, 'method', {}, html`<button>Save a new card</button>`)}
${backLink(session)}`,
  )
}

/** The page after a flow that ends with `hosted_confirmation`. */
export function donePage(session: PortalSession): Html {
  const message = session.flow?.after_completion.hosted_confirmation?.custom_message
  return pageLayout('Done', html`<p>${message ?? 'Your change is saved.'}</p>${backLink(session)}`)
}

/** The page of a session whose customer has been deleted. */
export function deletedCustomerPage(session: PortalSession): Html {
  return pageLayout(
    'This customer has been deleted',
    html`<p>There is nothing left to see here.</p>${backLink(session)}`,
  )
}
