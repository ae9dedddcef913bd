import Stripe from 'stripe'
import { newId, nowSeconds } from './clock.js'
import { type Customers, requireSameCurrency } from './customers.js'
import type { Dunning } from './dunning.js'
import type { Events } from './events.js'
import {
  ApiError,
  type Form,
  integer,
  nested,
  nestedList,
  oneOf,
  requiredText,
  text,
  webUrl,
} from './http.js'
import type { Invoices } from './invoices.js'
import { type Html, html } from './page.js'
import {
  FLOW_TYPES,
  type FlowType,
  newPortalSession,
  type PortalFlow,
  type PortalSession,
  portalUrl,
} from './portal-session.js'
import { monthsOf, type Price, type Prices, productIdOf, productName, requireNoQuantity } from './prices.js'
import type { State } from './state.js'
import {
  hasEnded,
  isCancelling,
  periodEnd,
  type Subscription,
  type SubscriptionItem,
} from './subscription.js'
import type { Subscriptions } from './subscriptions.js'
import { words } from './words.js'

type PortalConfiguration = Stripe.BillingPortal.Configuration

/** The features that the portal's pages here offer: all that they support, for all prices. */
function newPortalConfiguration(priceIds: readonly string[]): PortalConfiguration {
  const now = nowSeconds()
  return {
    id: 'bpc_sandbox',
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: now,
    default_return_url: null,
    features: features(priceIds),
    is_default: true,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: now,
  }
}

function features(priceIds: readonly string[]): PortalConfiguration['features'] {
  const productIds = [...new Set(priceIds.map(productIdOf))]
  return {
    customer_update: { allowed_updates: [], enabled: false },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true, payment_method_configuration: null },
    subscription_cancel: {
      cancellation_reason: { enabled: false, feedback_options: null, options: [] },
      enabled: true,
      mode: 'at_period_end',
      proration_behavior: 'none',
    },
    subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
    subscription_update: {
      billing_cycle_anchor: null,
      default_allowed_updates: ['price', 'quantity'],
      enabled: true,
      products: productIds.map(product => ({
        adjustable_quantity: { enabled: true, maximum: null, minimum: 1 },
        prices: priceIds.filter(id => productIdOf(id) === product),
        product,
      })),
      proration_behavior: 'create_prorations',
      schedule_at_period_end: { conditions: [] },
      trial_update_behavior: 'continue_trial',
    },
  }
}

type WebhookEndpoint = Stripe.WebhookEndpoint

/** What is configured by hand in Stripe's dashboard: the webhook endpoint, the portal, and archived products. */
export class Dashboard {
  /** Change this to simulate a change in the dashboard; the sandbox itself does not depend on it. */
  readonly portal: PortalConfiguration
  /** The endpoint's fields besides its URL, which is the sandbox's `webhookUrl`. */
  readonly webhook: Omit<WebhookEndpoint, 'url'>

  /** Where thin events are said to go; the sandbox sends none. */
  thinEventsUrl: string | null = null

  /** Ids of products that are archived; their prices stay active. */
  readonly archivedProducts = new Set<string>()

  constructor(
    priceIds: readonly string[],
    private readonly webhookUrl: () => string | null,
  ) {
    this.portal = newPortalConfiguration(priceIds)
    this.webhook = {
      id: 'we_sandbox',
      object: 'webhook_endpoint',
      api_version: Stripe.API_VERSION,
      application: null,
      created: nowSeconds(),
      description: null,
      enabled_events: ['*'],
      livemode: false,
      metadata: {},
      status: 'enabled',
    }
  }

  /** Of those that send thin events, which are not among the endpoints. */
  eventDestinations(): Stripe.V2.Core.EventDestination[] {
    const created = new Date(this.webhook.created * 1000).toISOString()
    if (this.thinEventsUrl === null) return []
    return [
      {
        id: 'ed_sandbox',
        object: 'v2.core.event_destination',
        created,
        description: '',
        enabled_events: ['v1.invoice.paid'],
        event_payload: 'thin',
        events_from: ['@self'],
        livemode: false,
        metadata: {},
        name: 'Thin events',
        status: 'enabled',
        type: 'webhook_endpoint',
        updated: created,
        webhook_endpoint: { url: this.thinEventsUrl },
      },
    ]
  }

  /** One endpoint, or none while events go nowhere. */
  webhookEndpoints(): WebhookEndpoint[] {
    const url = this.webhookUrl()
    return url === null ? [] : [{ ...this.webhook, url }]
  }
}

type ConfirmedItem = NonNullable<PortalFlow['subscription_update_confirm']>['items'][number]

const COMPLETIONS = ['hosted_confirmation', 'portal_homepage', 'redirect'] as const

/** Reads `flow_data`. Null when it is absent; throws 400 for a flow that Stripe would refuse. */
function portalFlow(params: Form, subscriptions: readonly Subscription[], prices: Prices): PortalFlow | null {
  if (!('flow_data' in params)) return null
  const data = nested(params, 'flow_data')
  requiredText(data, 'type', 'flow_data[type]')
  const type = oneOf(data, 'type', FLOW_TYPES, 'flow_data[type]')!
  return {
    type,
    after_completion: afterCompletion(nested(data, 'after_completion')),
    customer_update: null,
    subscription_pause: null,
    ...flowDetails(type, data, subscriptions, prices),
  }
}

/** The detail of this type; those of the other types are null. */
function flowDetails(type: FlowType, data: Form, subscriptions: readonly Subscription[], prices: Prices) {
  const none = { subscription_cancel: null, subscription_update: null, subscription_update_confirm: null }
  if (type === 'payment_method_update') return none
  const detail = nested(data, type)
  const param = `flow_data[${type}]`
  const id = requiredText(detail, 'subscription', `${param}[subscription]`)
  const subscription = subscriptions.find(each => each.id === id && !hasEnded(each))
  if (!subscription) throw ApiError.missing(400, 'subscription', id, `${param}[subscription]`)
  if (type === 'subscription_cancel') return { ...none, [type]: { retention: null, subscription: id } }
  requireOneItem(subscription, `${param}[subscription]`)
  if (type === 'subscription_update') return { ...none, [type]: { subscription: id } }
  const items = itemsOf(detail, `${param}[items]`, subscription, prices)
  return { ...none, [type]: { discounts: null, items, subscription: id } }
}

/** https://docs.stripe.com/api/customer_portal/sessions/create: one with several items is not updatable. */
function requireOneItem({ items }: Subscription, param: string): void {
  if (items.data.length > 1)
    throw ApiError.badParameter(
      'parameter_invalid',
      param,
      'Subscriptions with multiple items are not updatable.',
    )
}

function itemsOf(detail: Form, param: string, subscription: Subscription, prices: Prices): ConfirmedItem[] {
  const items = nestedList(detail, 'items')
  if (items.length !== 1)
    throw ApiError.badParameter('parameter_invalid', param, 'Exactly one item can be updated.')
  return items.map(item => {
    const id = requiredText(item, 'id', `${param}[0][id]`)
    const current = subscription.items.data.find(each => each.id === id)
    if (!current) throw ApiError.missing(400, 'subscription item', id, `${param}[0][id]`)
    const price = prices.find(text(item, 'price') ?? current.price.id, `${param}[0][price]`)
    requireSameCurrency(subscription, price.currency)
    requireNoQuantity(integer(item, 'quantity'), price, `${param}[0]`)
    return { id, price: price.id, quantity: quantityAfter(item, price, current) }
  })
}

/** What is not given stays as it is, but what is billed by usage has none. */
function quantityAfter(item: Form, { recurring }: Price, current: SubscriptionItem): number | undefined {
  return recurring?.usage_type === 'metered'
    ? undefined
    : (integer(item, 'quantity') ?? current.quantity ?? 1)
}

function afterCompletion(completion: Form): PortalFlow['after_completion'] {
  const param = 'flow_data[after_completion]'
  const type = oneOf(completion, 'type', COMPLETIONS, `${param}[type]`) ?? 'portal_homepage'
  const confirmation = nested(completion, 'hosted_confirmation')
  return {
    type,
    hosted_confirmation:
      type === 'hosted_confirmation' ? { custom_message: text(confirmation, 'custom_message') } : null,
    redirect: type === 'redirect' ? redirect(completion, `${param}[redirect][return_url]`) : null,
  }
}

function redirect(completion: Form, param: string): { return_url: string } {
  return { return_url: webUrl(requiredText(nested(completion, 'redirect'), 'return_url', param), param) }
}

export class Portals {
  constructor(
    private readonly state: State,
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
    private readonly prices: Prices,
    private readonly dashboard: Dashboard,
    private readonly pagesUrl: string,
  ) {}

  /**
   * A new portal session; throws 400 for an unknown customer, a bad URL, and a flow about something the
   * customer does not have or that the portal is not configured for.
   */
  create(params: Form): PortalSession {
    const { id } = this.customers.find(requiredText(params, 'customer'), 'parameter')
    const returnUrl = text(params, 'return_url')
    if (returnUrl !== null) webUrl(returnUrl, 'return_url')
    const { portal } = this.dashboard
    requireActive(portal)
    const flow = portalFlow(params, this.subscriptions.list(id, null), this.prices)
    if (flow?.subscription_update_confirm) requireOffered(flow.subscription_update_confirm.items, portal)
    const session = newPortalSession(id, { returnUrl, locale: text(params, 'locale') }, flow, this.pagesUrl)
    this.state.portals.set(session.id, { session, isFlowDone: false })
    this.state.changed()
    return session
  }

  /** Points the sessions of an earlier run at the current pages: the port may have changed. */
  updatePageUrls(): void {
    for (const { session } of this.state.portals.values()) session.url = portalUrl(session.id, this.pagesUrl)
  }
}

type ConfirmedItems = NonNullable<PortalFlow['subscription_update_confirm']>['items']

/** The messages below are Stripe's. */
function requireActive({ active }: PortalConfiguration): void {
  if (active) return
  throw refused(
    'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
  )
}

function requireOffered(items: ConfirmedItems, { features }: PortalConfiguration): void {
  const { enabled, products } = features.subscription_update
  if (!enabled)
    throw refused(
      'This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.',
    )
  const offered = new Set(products?.flatMap(({ prices }) => prices))
  const missing = items.find(({ price }) => price && !offered.has(price))
  if (missing)
    throw refused(
      `The item cannot be updated to price \`${missing.price}\` because the configuration \`bpc_sandbox\` does not include the price in its \`features[subscription_update][products]\`.`,
    )
}

function refused(message: string): ApiError {
  return new ApiError(400, 'invalid_request_error', message)
}

export const PORTAL_ACTIONS = ['cancel', 'resume', 'confirm', 'update', 'method', 'pay'] as const
export type PortalAction = (typeof PORTAL_ACTIONS)[number]

/** A form that posts `action`, with `about` as hidden fields. */
export function actionForm(
  { id }: PortalSession,
  action: PortalAction,
  about: Record<string, string>,
  content: Html,
): Html {
  const hidden = Object.entries(about).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="/portal/${id}/${action}">${hidden}${content}</form>`
}

/** A link back to the site; empty when the session has no return URL. */
export function backLink({ return_url }: PortalSession): Html {
  return return_url
    ? html`<p class="back"><a class="button second" href="${return_url}">${words.portal.back}</a></p>`
    : html``
}

export function statusBadge(status: string): Html {
  const name = status.replaceAll('_', ' ')
  return html`<span class="badge ${TONES[status] ?? 'plain'}">${name}</span>`
}

/** The plans and quantities of the subscription. */
export function subscriptionName({ items }: Subscription): string {
  return items.data.map(({ price, quantity }) => planName(price.id, quantity ?? 1)).join(', ')
}

/** Whether the subscription is charged once a year; otherwise it is once a month. */
export function isYearly({ items }: Subscription): boolean {
  return items.data.every(({ price }) => monthsOf(price) === 12)
}

export function planName(price: string, quantity: number): string {
  const name = productName(price)
  return quantity === 1 ? name : `${name} × ${quantity}`
}

/** The date in UTC, as in “March 1, 2027”, with the day on the line of its month. */
export function formatDate(seconds: number): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
    .format(seconds * 1000)
    .replace(' ', '\u00a0')
}

const TONES: Record<string, string> = {
  active: 'good',
  trialing: 'good',
  paid: 'good',
  open: 'bad',
  past_due: 'bad',
  unpaid: 'bad',
  incomplete: 'bad',
}

/** The actions behind the portal's buttons. */
export class PortalActions {
  constructor(
    private readonly events: Events,
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
    private readonly invoices: Invoices,
    private readonly dunning: Dunning,
  ) {}

  /**
   * Performs the action, with Stripe's events; throws ApiError when it is impossible or the object is another
   * customer's.
   */
  perform(action: PortalAction, session: PortalSession, fields: Form): void {
    if (action === 'method') this.saveMethod(session)
    else if (action === 'pay') this.pay(session, requiredText(fields, 'invoice'))
    else if (action === 'confirm') this.confirm(session)
    else if (action === 'update') this.update(session, fields)
    else this.setCancelling(session, requiredText(fields, 'subscription'), action === 'cancel')
  }

  private saveMethod({ customer: id }: PortalSession): void {
    const customer = this.customers.find(id)
    const before = structuredClone(customer)
    customer.invoice_settings.default_payment_method = newId('pm_1', 23)
    for (const subscription of this.subscriptions.list(id, 'all'))
      this.subscriptions.recordMethod(subscription.id)
    this.events.emit('customer.updated', customer, undefined, before)
  }

  private pay({ customer }: PortalSession, id: string): void {
    const invoice = this.invoices.find(id)
    if (invoice.customer !== customer || invoice.status !== 'open')
      throw ApiError.missing(404, 'invoice', id, 'id')
    this.dunning.pay(invoice)
  }

  private confirm(session: PortalSession): void {
    const { subscription, items } = session.flow!.subscription_update_confirm!
    const [item] = items
    this.change(session, subscription, item!.id!, item!.price!, item!.quantity)
  }

  private update(session: PortalSession, fields: Form): void {
    const [subscription, item, price] = ['subscription', 'item', 'price'].map(name =>
      requiredText(fields, name),
    ) as [string, string, string]
    this.change(session, subscription, item, price, Math.max(1, integer(fields, 'quantity') ?? 1))
  }

  /** Billed at once, so that the customer sees what it cost. */
  private change(session: PortalSession, id: string, item: string, price: string, quantity?: number): void {
    this.requireOwned(session, id)
    const items = [{ id: item, price, quantity }]
    this.subscriptions.change(id, { items, proration_behavior: 'always_invoice' })
  }

  /** A second click has no effect. */
  private setCancelling(session: PortalSession, id: string, isWanted: boolean): void {
    const subscription = this.requireOwned(session, id)
    if (isCancelling(subscription) === isWanted) return
    if (!isWanted) this.subscriptions.change(id, { cancel_at: null })
    else if (subscription.billing_mode.type === 'classic')
      this.subscriptions.change(id, { cancel_at_period_end: true })
    else this.subscriptions.change(id, { cancel_at: periodEnd(subscription) })
  }

  private requireOwned({ customer }: PortalSession, id: string) {
    const subscription = this.subscriptions.find(id)
    if (subscription.customer === customer) return subscription
    throw ApiError.missing(404, 'subscription', id, 'id')
  }
}
