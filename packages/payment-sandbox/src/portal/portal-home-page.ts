import type { Invoice } from '../invoices/invoice.js'
import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import { type Subscription, totalOfItems } from '../subscriptions/subscription.js'
import { hasEnded, isCancelling, periodEnd } from '../subscriptions/subscription-changes.js'
import {
  actionForm,
  backLink,
  formatDate,
  perPeriod,
  statusBadge,
  subscriptionName,
} from './portal-elements.js'
import type { PortalSession } from './portal-session.js'

/** What the page shows about the customer. */
export interface PortalHome {
  subscriptions: Subscription[]
  invoices: Invoice[]
  /** The id of the payment method that was saved in the portal; null for the one used at checkout. */
  card: string | null
}

/** Subscriptions, payment method and invoices, with buttons to cancel, resume, pay and use another card. */
export function portalHomePage(session: PortalSession, { subscriptions, invoices, card }: PortalHome): Html {
  return pageLayout(
    'Your billing',
    html`<h2>Subscription</h2>
${subscriptions.length > 0 ? subscriptions.map(each => subscriptionCard(session, each)) : NO_SUBSCRIPTION}
<h2>Payment method</h2>
<p class="quiet">${card ? `Card ending in ${card.slice(-4)}` : 'The card used at checkout'}</p>
${actionForm(session, 'method', {}, html`<button class="second">Use another card</button>`)}
<h2>Invoices</h2>
${invoices.length > 0 ? html`<dl>${invoices.map(each => invoiceRow(session, each))}</dl>` : NO_INVOICE}
${backLink(session)}`,
  )
}

const NO_SUBSCRIPTION = html`<p class="quiet">You have no subscription.</p>`
const NO_INVOICE = html`<p class="quiet">You have no invoices yet.</p>`

function subscriptionCard(session: PortalSession, subscription: Subscription): Html {
  const { id } = subscription
  return html`<section class="card">
<p><strong>${subscriptionName(subscription)}</strong> ${statusBadge(subscription.status)}</p>
<p class="quiet">${money(totalOfItems(subscription), subscription.currency)} ${perPeriod(subscription)}. ${renewalNotice(subscription)}</p>
${
  hasEnded(subscription)
    ? ''
    : isCancelling(subscription)
      ? actionForm(session, 'resume', { subscription: id }, html`<button>Resume subscription</button>`)
      : actionForm(
          session,
          'cancel',
          { subscription: id },
          html`<button class="second">Cancel at period end</button>`,
        )
}
</section>
`
}

function renewalNotice(subscription: Subscription): string {
  const { status, ended_at, cancel_at, pause_collection } = subscription
  const end = formatDate(periodEnd(subscription))
  if (hasEnded(subscription)) return ended_at ? `Ended on ${formatDate(ended_at)}.` : 'It never started.'
  if (isCancelling(subscription)) return `Ends on ${formatDate(cancel_at!)}.`
  if (status === 'trialing') return `Free until ${end}.`
  if (status === 'past_due' || status === 'unpaid') return 'The last payment failed.'
  if (status === 'incomplete') return 'Waiting for the first payment.'
  if (status === 'paused' || pause_collection) return 'Payments are paused.'
  return `Renews on ${end}.`
}

function invoiceRow(session: PortalSession, invoice: Invoice): Html {
  const { id, created, number, status, amount_due, currency } = invoice
  const button = html`<button class="small">Pay ${money(amount_due, currency)}</button>`
  return html`<div><dt>${formatDate(created)} ${statusBadge(status ?? 'draft')}<small><a href="/portal/${session.id}/${id}">${number ?? 'Draft'}</a></small>
${status === 'open' ? actionForm(session, 'pay', { invoice: id }, button) : ''}</dt>
<dd>${money(amount_due, currency)}</dd></div>
`
}
