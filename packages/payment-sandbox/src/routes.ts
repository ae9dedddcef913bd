import { type ApiRoute, expanded, expandedPage, type Finders } from './api.js'
import type { Charges, Refunds } from './charges.js'
import type { Checkouts } from './checkouts.js'
import type { CustomerDeletion } from './customer-deletion.js'
import type { Customers } from './customers.js'
import type { Events } from './events.js'
import { ApiError, createdWithin, listPage, text } from './http.js'
import { findPaymentIntent, type Invoices, invoicePayments } from './invoices.js'
import type { DelayedPayments } from './payments.js'
import type { Dashboard, Portals } from './portals.js'
import { findProduct, type Prices } from './prices.js'
import type { State } from './state.js'
import { shown } from './subscription.js'
import type { Subscriptions } from './subscriptions.js'

/** The account that the secret key belongs to. */
export function accountRoute(accountId: string): ApiRoute {
  return ['GET', '/v1/account', () => ({ id: accountId, object: 'account' })]
}

/** What the routes of the API call. */
interface ApiServices {
  state: State
  customers: Customers
  deletion: CustomerDeletion
  checkouts: Checkouts
  subscriptions: Subscriptions
  invoices: Invoices
  charges: Charges
  refunds: Refunds
  delayedPayments: DelayedPayments
  portals: Portals
  prices: Prices
  events: Events
  dashboard: Dashboard
}

const INVOICES = '/v1/invoices'
const PAYMENTS = '/v1/invoice_payments'
const EVENTS = '/v1/events'

/** The portal, invoices, payments and refunds, prices, and events. */
function billingRoutes(
  {
    state,
    customers,
    portals,
    prices,
    invoices,
    charges,
    refunds,
    delayedPayments,
    events,
    dashboard,
  }: ApiServices,
  finders: Finders,
): ApiRoute[] {
  const product = (id: string) => ({ ...findProduct(id), active: !dashboard.archivedProducts.has(id) })
  const paymentFields: Finders = {
    invoice: id => state.invoices.get(id) ?? null,
    'payment.payment_intent': id => findPaymentIntent(state, id),
  }
  const priceFields: Finders = { product, currency_options: () => null }
  return [
    ['POST', '/v1/billing_portal/sessions', ({ params }) => portals.create(params)],
    [
      'GET',
      INVOICES,
      ({ params }) => {
        customers.requireListed(params)
        return expandedPage(listPage(invoices.list(params), params, INVOICES), params, finders)
      },
    ],
    ['GET', `${INVOICES}/:id`, ({ id, params }) => expanded(invoices.find(id), params, finders)],
    ['POST', `${INVOICES}/:id/void`, ({ id, cause }) => delayedPayments.void(id, cause)],
    ['POST', '/v1/refunds', ({ params, cause }) => refunds.create(params, cause)],
    [
      'GET',
      PAYMENTS,
      ({ params }) =>
        expandedPage(listPage(invoicePayments(state, params), params, PAYMENTS), params, paymentFields),
    ],
    ['GET', '/v1/charges/:id', ({ id, params }) => expanded(charges.find(id), params, finders)],
    ['GET', '/v1/disputes/:id', ({ id, params }) => expanded(charges.findDispute(id), params, finders)],
    [
      'GET',
      '/v1/prices/:id',
      ({ id, params }) => expanded(prices.retrieved(id, params), params, priceFields),
    ],
    ['GET', '/v1/products/:id', ({ id }) => product(id)],
    ['GET', EVENTS, ({ params }) => listPage(events.list(params), params, EVENTS)],
    ['GET', `${EVENTS}/:id`, ({ id }) => events.find(id)],
  ]
}

const CHECKOUTS = '/v1/checkout/sessions'

function checkoutRoutes(checkouts: Checkouts, finders: Finders): ApiRoute[] {
  return [
    ['POST', CHECKOUTS, ({ params }) => expanded(checkouts.create(params), params, finders)],
    [
      'GET',
      CHECKOUTS,
      ({ params }) => {
        const page = listPage(checkouts.list(text(params, 'customer')), params, CHECKOUTS)
        return expandedPage(page, params, finders)
      },
    ],
    ['GET', `${CHECKOUTS}/:id`, ({ id, params }) => expanded(checkouts.find(id).checkout, params, finders)],
    [
      'POST',
      `${CHECKOUTS}/:id/expire`,
      ({ id, params, cause }) => expanded(checkouts.expire(id, cause), params, finders),
    ],
  ]
}

const CUSTOMERS = '/v1/customers'

function customerRoutes(customers: Customers, deletion: CustomerDeletion): ApiRoute[] {
  return [
    ['POST', CUSTOMERS, ({ params, cause }) => customers.create(params, cause)],
    ['GET', CUSTOMERS, ({ params }) => listPage(customers.list(params), params, CUSTOMERS)],
    ['POST', `${CUSTOMERS}/:id`, ({ id, params, cause }) => customers.update(id, params, cause)],
    ['GET', `${CUSTOMERS}/:id`, ({ id }) => customers.findOrDeleted(id)],
    ['DELETE', `${CUSTOMERS}/:id`, ({ id, cause }) => deletion.delete(id, cause)],
  ]
}

const SUBSCRIPTIONS = '/v1/subscriptions'
const ITEMS = '/v1/subscription_items'
const MISSING = 'Missing required param: subscription.'

function subscriptionRoutes(
  subscriptions: Subscriptions,
  customers: Customers,
  finders: Finders,
): ApiRoute[] {
  return [
    [
      'GET',
      SUBSCRIPTIONS,
      ({ params }) => {
        customers.requireListed(params)
        const found = subscriptions.list(text(params, 'customer'), text(params, 'status'))
        const page = listPage(found.filter(createdWithin(params)).map(shown), params, SUBSCRIPTIONS)
        return expandedPage(page, params, finders)
      },
    ],
    [
      'GET',
      ITEMS,
      ({ params }) => {
        const id = text(params, 'subscription')
        if (id === null) throw ApiError.badParameter('parameter_missing', 'subscription', MISSING)
        return listPage(subscriptions.find(id).items.data, params, ITEMS)
      },
    ],
    [
      'GET',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params }) => expanded(shown(subscriptions.find(id)), params, finders),
    ],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params, cause }) => expanded(shown(subscriptions.update(id, params, cause)), params, finders),
    ],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id/pause`,
      ({ id, params, cause }) => expanded(shown(subscriptions.pause(id, cause)), params, finders),
    ],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id/resume`,
      ({ id, params, cause }) => expanded(shown(subscriptions.resume(id, params, cause)), params, finders),
    ],
    [
      'DELETE',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params, cause }) => expanded(shown(subscriptions.cancel(id, cause, params)), params, finders),
    ],
  ]
}

/** The part of Stripe's API that the sandbox implements. */
export function apiRoutes(services: ApiServices): ApiRoute[] {
  const customer = (id: string) => services.customers.findOrDeleted(id)
  const subscription = (id: string) => shown(services.subscriptions.find(id))
  const invoice = (id: string) => services.state.invoices.get(id) ?? null
  const charge = (id: string) => services.charges.find(id)
  const checkoutFields: Finders = { customer, subscription, invoice }
  const subscriptionFields: Finders = { customer, latest_invoice: invoice }
  return [
    ...customerRoutes(services.customers, services.deletion),
    ...checkoutRoutes(services.checkouts, checkoutFields),
    ...subscriptionRoutes(services.subscriptions, services.customers, subscriptionFields),
    ...billingRoutes(services, { customer, charge }),
  ]
}

const ENDPOINTS = '/v1/webhook_endpoints'
const DESTINATIONS = '/v2/core/event_destinations'
const CONFIGURATIONS = '/v1/billing_portal/configurations'

/** Read-only: what is configured by hand in the dashboard. */
export function dashboardRoutes(dashboard: Dashboard): ApiRoute[] {
  return [
    ['GET', ENDPOINTS, ({ params }) => listPage(dashboard.webhookEndpoints(), params, ENDPOINTS)],
    [
      'GET',
      DESTINATIONS,
      () => ({ data: dashboard.eventDestinations(), next_page_url: null, previous_page_url: null }),
    ],
    ['GET', CONFIGURATIONS, ({ params }) => listPage([dashboard.portal], params, CONFIGURATIONS)],
  ]
}
