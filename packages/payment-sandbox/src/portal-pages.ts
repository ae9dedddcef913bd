import { ApiError, parseForm, type ReceivedRequest } from './http.js'
import type { Invoice } from './invoice.js'
import type { Invoices } from './invoices.js'
import {
  type Html,
  html,
  money,
  notFoundPage,
  type PageAnswer,
  pageAnswer,
  pageLayout,
  redirectAnswer,
} from './page.js'
import { flowSubscription, type PortalRecord, type PortalSession } from './portal-session.js'
import {
  actionForm,
  backLink,
  formatDate,
  isYearly,
  PORTAL_ACTIONS,
  type PortalAction,
  type PortalActions,
  planName,
  statusBadge,
  subscriptionName,
} from './portals.js'
import { billedQuantity, type Price, type Prices } from './prices.js'
import type { State } from './state.js'
import { hasEnded, isCancelling, periodEnd, type Subscription, totalOfItems } from './subscription.js'
import type { Subscriptions } from './subscriptions.js'
import { words } from './words.js'

/** The page of an invoice, line by line: with a way back to the portal session `from`, else with a way to pay it. */
export function invoicePage(invoice: Invoice, from: string | null, isPayable: boolean): Html {
  const { title, draft, total: sum, due: dueNow, pdf, back } = words.invoice
  const { number, created, status, lines, total, amount_remaining, currency } = invoice
  const due = money(amount_remaining, currency)
  return pageLayout(
    number ? title(number) : draft,
    html`<p>${formatDate(created)} ${statusBadge(status ?? 'draft')}</p>
<dl>
${lines.data.map(line => lineRow(line))}
<div class="total"><dt>${sum}</dt><dd>${money(total, currency)}</dd></div>
<div><dt>${dueNow}</dt><dd>${due}</dd></div>
</dl>
${
  isPayable
    ? html`<form method="post" action="/invoice/${invoice.id}/pay"><button>${words.pay.pay(due)}</button></form>`
    : ''
}
<p class="back"><a class="button second" href="/invoice/${invoice.id}/pdf">${pdf}</a></p>
${from ? html`<p class="back"><a class="button second" href="/portal/${from}">${back}</a></p>` : ''}`,
  )
}

function lineRow(line: Invoice['lines']['data'][number]): Html {
  const { description, period, amount, currency } = line
  const dates = words.invoice.period(formatDate(period.start), formatDate(period.end))
  return html`<div><dt>${description ?? 'Subscription'}<small>${dates}</small></dt><dd>${money(amount, currency)}</dd></div>`
}

/** The page of a `subscription_cancel` flow. */
function cancelPage(session: PortalSession, subscription: Subscription): Html {
  const { id } = subscription
  const end = formatDate(periodEnd(subscription))
  return pageLayout(
    words.flow.cancel,
    html`<p>${words.flow.activeUntil(subscriptionName(subscription), end)}</p>
${actionForm(session, 'cancel', { subscription: id }, html`<button>${words.portal.cancelAtEnd}</button>`)}
${backLink(session)}`,
  )
}

/** The page of a `subscription_update` flow: changes the plan or quantity of the first item. */
function updatePage(session: PortalSession, subscription: Subscription, prices: Price[]): Html {
  const { flow } = words
  const [item] = subscription.items.data
  return pageLayout(
    flow.change,
    html`${actionForm(
      session,
      'update',
      { subscription: subscription.id, item: item!.id },
      html`<fieldset><legend>${flow.plan}</legend>
${prices.map(price => planChoice(price, price.id === item!.price.id))}
</fieldset>
<label>${flow.quantity} <input type="number" name="quantity" min="1" max="9999" required value="${item!.quantity ?? 1}"></label>
<button>${flow.submitChange}</button>`,
    )}
${backLink(session)}`,
  )
}

function planChoice(price: Price, isChosen: boolean): Html {
  const amount = money(price.unit_amount ?? 0, price.currency)
  const every = price.recurring?.interval === 'year' ? words.pay.year : words.pay.month
  return html`<label class="choice"><input type="radio" name="price" value="${price.id}"${isChosen ? html` checked` : ''}>
<span>${planName(price.id, 1)}<small>${every}</small></span> <b>${amount}</b></label>
`
}

/** The page of a `subscription_update_confirm` flow: the subscription before and after the change. */
function confirmPage(session: PortalSession, subscription: Subscription, price: Price): Html {
  const { flow } = words
  const [item] = session.flow!.subscription_update_confirm!.items
  const current = subscription.items.data.find(({ id }) => id === item!.id)!
  const quantity = item!.quantity ?? 1
  const total = (price.unit_amount ?? 0) * billedQuantity(price, item!.quantity)
  return pageLayout(
    flow.confirm,
    html`<dl>
<div><dt>${isYearly(subscription) ? flow.nowYearly : flow.nowMonthly}<small>${planName(current.price.id, current.quantity ?? 1)}</small></dt>
<dd>${money(totalOfItems(subscription), subscription.currency)}</dd></div>
<div class="total"><dt>${price.recurring!.interval === 'year' ? flow.thenYearly : flow.thenMonthly}<small>${planName(price.id, quantity)}</small></dt><dd>${money(total, price.currency)}</dd></div>
</dl>
<p class="quiet">${flow.difference}</p>
${actionForm(session, 'confirm', {}, html`<button>${flow.confirm}</button>`)}
${backLink(session)}`,
  )
}

/** The page of a `payment_method_update` flow. */
function paymentMethodPage(session: PortalSession): Html {
  return pageLayout(
    words.flow.method,
    html`<p>${words.flow.testCard}</p>
${actionForm(session, 'method', {}, html`<button>${words.flow.saveCard}</button>`)}
${backLink(session)}`,
  )
}

/** The page after a flow that ends with `hosted_confirmation`. */
function donePage(session: PortalSession): Html {
  const message = session.flow?.after_completion.hosted_confirmation?.custom_message
  return pageLayout(words.flow.done, html`<p>${message ?? words.flow.saved}</p>${backLink(session)}`)
}

/** The page of a session whose customer has been deleted. */
function deletedCustomerPage(session: PortalSession): Html {
  return pageLayout(words.flow.deleted, html`<p>${words.flow.nothingToSee}</p>${backLink(session)}`)
}

/** What the page shows about the customer. */
interface PortalHome {
  subscriptions: Subscription[]
  invoices: Invoice[]
  /** The id of the payment method that was saved in the portal; null for the one used at checkout. */
  card: string | null
}

/** Subscriptions, payment method and invoices, with buttons to cancel, resume, pay and use another card. */
function portalHomePage(session: PortalSession, home: PortalHome): Html {
  const { subscriptions, invoices, card } = home
  const { portal } = words
  return pageLayout(
    portal.title,
    html`<h2>${portal.subscription}</h2>
${
  subscriptions.length > 0
    ? subscriptions.map(each => subscriptionCard(session, each))
    : html`<p class="quiet">${portal.noSubscription}</p>`
}
<h2>${portal.method}</h2>
<p class="quiet">${card ? portal.card(card.slice(-4)) : portal.checkoutCard}</p>
${actionForm(session, 'method', {}, html`<button class="second">${portal.otherCard}</button>`)}
<h2>${portal.invoices}</h2>
${
  invoices.length > 0
    ? html`<dl>${invoices.map(each => invoiceRow(session, each))}</dl>`
    : html`<p class="quiet">${portal.noInvoices}</p>`
}
${backLink(session)}`,
  )
}

function subscriptionCard(session: PortalSession, subscription: Subscription): Html {
  const { portal } = words
  const { id } = subscription
  const amount = money(totalOfItems(subscription), subscription.currency)
  const price = isYearly(subscription) ? portal.perYear(amount) : portal.perMonth(amount)
  return html`<section class="card">
<p><strong>${subscriptionName(subscription)}</strong> ${statusBadge(subscription.status)}</p>
<p class="quiet">${price} ${renewalNotice(subscription)}</p>
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

function renewalNotice(subscription: Subscription): string {
  const { status, ended_at, cancel_at, pause_collection } = subscription
  const { portal } = words
  const end = formatDate(periodEnd(subscription))
  if (hasEnded(subscription)) return ended_at ? portal.endedOn(formatDate(ended_at)) : portal.neverStarted
  if (isCancelling(subscription)) return portal.endsOn(formatDate(cancel_at!))
  if (status === 'trialing') return portal.freeUntil(end)
  if (status === 'past_due' || status === 'unpaid') return portal.lastFailed
  if (status === 'incomplete') return portal.waitingForFirst
  if (status === 'paused' || pause_collection) return portal.paused
  return portal.renewsOn(end)
}

function invoiceRow(session: PortalSession, invoice: Invoice): Html {
  const { id, created, number, status, amount_due, currency } = invoice
  const due = money(amount_due, currency)
  const button = html`<button class="small">${words.pay.pay(due)}</button>`
  return html`<div><dt>${formatDate(created)} ${statusBadge(status ?? 'draft')}<small><a href="/portal/${session.id}/${id}">${number ?? words.portal.draft}</a></small>
${status === 'open' ? actionForm(session, 'pay', { invoice: id }, button) : ''}</dt>
<dd>${due}</dd></div>
`
}

/**
 * The portal at `/portal/:id`, an invoice at `/portal/:id/:invoice`, and the buttons at
 * `/portal/:id/:action`.
 */
export class PortalPages {
  constructor(
    private readonly state: State,
    private readonly subscriptions: Subscriptions,
    private readonly invoices: Invoices,
    private readonly prices: Prices,
    private readonly actions: PortalActions,
  ) {}

  answer({ method, path, body }: ReceivedRequest): PageAnswer {
    const [, , id = '', action, ...more] = path.split('/')
    const record = this.state.portals.get(id)
    if (!record || more.length > 0) return pageAnswer(404, notFoundPage())
    if (!this.state.customers.has(record.session.customer))
      return pageAnswer(410, deletedCustomerPage(record.session))
    if (method === 'GET' && action === undefined) return this.show(record)
    if (method === 'GET') return this.showInvoice(record, action as string)
    const known = PORTAL_ACTIONS.find(each => each === action)
    if (method === 'POST' && known && allows(record, known)) return this.act(record, known, body)
    return pageAnswer(404, notFoundPage())
  }

  private show({ session, isFlowDone }: PortalRecord): PageAnswer {
    const { flow, customer } = session
    if (isFlowDone && flow!.after_completion.type !== 'portal_homepage')
      return pageAnswer(200, donePage(session))
    if (flow && !isFlowDone) {
      const page = this.flowPage(session)
      if (page) return pageAnswer(200, page)
    }
    return pageAnswer(200, portalHomePage(session, this.homeOf(customer)))
  }

  private homeOf(customer: string): PortalHome {
    return {
      subscriptions: this.subscriptions.list(customer, 'all'),
      invoices: this.invoices.list({ customer }),
      card: this.state.customers.get(customer)!.invoice_settings.default_payment_method as string | null,
    }
  }

  private showInvoice({ session }: PortalRecord, id: string): PageAnswer {
    const invoice = this.state.invoices.get(id)
    if (invoice?.customer !== session.customer) return pageAnswer(404, notFoundPage())
    return pageAnswer(200, invoicePage(invoice, session.id, false))
  }

  /** Null when the subscription has ended meanwhile; the home page then says so. */
  private flowPage(session: PortalSession) {
    const { flow } = session
    const id = flowSubscription(flow)
    if (id === null) return paymentMethodPage(session)
    const subscription = this.subscriptions.find(id)
    if (hasEnded(subscription)) return null
    if (flow!.subscription_cancel) return cancelPage(session, subscription)
    if (flow!.subscription_update) return updatePage(session, subscription, this.prices.all())
    const price = flow!.subscription_update_confirm!.items[0]!.price!
    return confirmPage(session, subscription, this.prices.find(price, 'price'))
  }

  private act(record: PortalRecord, action: PortalAction, body: string): PageAnswer {
    const { session } = record
    if (record.isFlowDone && !HOME_ACTIONS.includes(action)) return redirectAfter(session)
    try {
      this.actions.perform(action, session, parseForm(body))
    } catch (error) {
      // The page was out of date: show the current one.
      if (!(error instanceof ApiError)) throw error
      return redirectAnswer(session.url)
    }
    if (session.flow) record.isFlowDone = true
    this.state.changed()
    return redirectAfter(session)
  }
}

/** Redirects to where the flow says, or back to the portal. */
function redirectAfter({ flow, url }: PortalSession): PageAnswer {
  return redirectAnswer(flow?.after_completion.redirect?.return_url ?? url)
}

/** A flow allows its own action, and those of the home page once it is done. */
function allows({ session: { flow }, isFlowDone }: PortalRecord, action: PortalAction): boolean {
  if (flow && FLOW_ACTIONS[flow.type] === action) return true
  return (!flow || isFlowDone) && HOME_ACTIONS.includes(action)
}

const HOME_ACTIONS: readonly PortalAction[] = ['cancel', 'resume', 'pay', 'method']

const FLOW_ACTIONS: Record<string, PortalAction> = {
  payment_method_update: 'method',
  subscription_cancel: 'cancel',
  subscription_update: 'update',
  subscription_update_confirm: 'confirm',
}
