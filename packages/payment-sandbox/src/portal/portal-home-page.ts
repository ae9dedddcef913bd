import type { Invoice } from '../invoices/invoice.js'
import { type Html, html } from '../pages/html.js'
import { money } from '../pages/money.js'
import { pageLayout } from '../pages/page-layout.js'
import type { Words } from '../pages/words/english.js'
import { type Subscription, totalOfItems } from '../subscriptions/subscription.js'
import { hasEnded, isCancelling, periodEnd } from '../subscriptions/subscription-changes.js'
import {
  actionForm,
  backLink,
  formatDate,
  isYearly,
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
export function portalHomePage(words: Words, session: PortalSession, home: PortalHome): Html {
  const { subscriptions, invoices, card } = home
  const { portal } = words
  return pageLayout(
    words,
    portal.title,
    html`<h2>${portal.subscription}</h2>
${
  subscriptions.length > 0
    ? subscriptions.map(each => subscriptionCard(words, session, each))
    : html`<p class="quiet">${portal.noSubscription}</p>`
}
<h2>${portal.method}</h2>
<p class="quiet">${card ? portal.card(card.slice(-4)) : portal.checkoutCard}</p>
${actionForm(session, 'method', {}, html`<button class="second">${portal.otherCard}</button>`)}
<h2>${portal.invoices}</h2>
${
  invoices.length > 0
    ? html`<dl>${invoices.map(each => invoiceRow(words, session, each))}</dl>`
    : html`<p class="quiet">${portal.noInvoices}</p>`
}
${backLink(words, session)}`,
  )
}

function subscriptionCard(words: Words, session: PortalSession, subscription: Subscription): Html {
  const { portal, locale } = words
  const { id } = subscription
  const amount = money(totalOfItems(subscription), subscription.currency, locale)
  const price = isYearly(subscription) ? portal.perYear(amount) : portal.perMonth(amount)
  return html`<section class="card">
<p><strong>${subscriptionName(words, subscription)}</strong> ${statusBadge(words, subscription.status)}</p>
<p class="quiet">${price} ${renewalNotice(words, subscription)}</p>
${
  hasEnded(subscription)
    ? ''
    : isCancelling(subscription)
      ? actionForm(session, 'resume', { subscription: id }, html`<button>${portal.resume}</button>`)
      : actionForm(
          session,
          'cancel',
          { subscription: id },
          html`<button class="second">${portal.cancelAtEnd}</button>`,
        )
}
</section>
`
}

function renewalNotice(words: Words, subscription: Subscription): string {
  const { status, ended_at, cancel_at, pause_collection } = subscription
  const { portal } = words
  const end = formatDate(words, periodEnd(subscription))
  if (hasEnded(subscription))
    return ended_at ? portal.endedOn(formatDate(words, ended_at)) : portal.neverStarted
  if (isCancelling(subscription)) return portal.endsOn(formatDate(words, cancel_at!))
  if (status === 'trialing') return portal.freeUntil(end)
  if (status === 'past_due' || status === 'unpaid') return portal.lastFailed
  if (status === 'incomplete') return portal.waitingForFirst
  if (status === 'paused' || pause_collection) return portal.paused
  return portal.renewsOn(end)
}

function invoiceRow(words: Words, session: PortalSession, invoice: Invoice): Html {
  const { id, created, number, status, amount_due, currency } = invoice
  const due = money(amount_due, currency, words.locale)
  const button = html`<button class="small">${words.pay.pay(due)}</button>`
  return html`<div><dt>${formatDate(words, created)} ${statusBadge(words, status ?? 'draft')}<small><a href="/portal/${session.id}/${id}">${number ?? words.portal.draft}</a></small>
${status === 'open' ? actionForm(session, 'pay', { invoice: id }, button) : ''}</dt>
<dd>${due}</dd></div>
`
}
