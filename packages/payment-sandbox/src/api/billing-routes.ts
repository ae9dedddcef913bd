import { findPaymentIntent, invoicePayments } from '../invoices/invoice-payments.js'
import { findProduct } from '../prices/products.js'
import type { ApiRoute } from './api-route.js'
import type { ApiServices } from './api-services.js'
import { expanded, expandedPage, type Finders } from './expand.js'
import { listPage } from './list.js'

const INVOICES = '/v1/invoices'
const PAYMENTS = '/v1/invoice_payments'
const EVENTS = '/v1/events'

/** The portal, invoices, payments and refunds, prices, and events. */
export function billingRoutes(
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
