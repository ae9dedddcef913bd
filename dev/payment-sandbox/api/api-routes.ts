import type { Checkouts } from '../checkout/checkouts.js'
import type { CustomerDeletion } from '../customers/customer-deletion.js'
import type { Customers } from '../customers/customers.js'
import type { Events } from '../events/events.js'
import type { Invoices } from '../invoices/invoices.js'
import type { Charges } from '../payments/charges.js'
import type { DelayedPayments } from '../payments/delayed-payments.js'
import type { Refunds } from '../payments/refunds.js'
import type { Portals } from '../portal/portals.js'
import type { Prices } from '../prices/prices.js'
import type { State } from '../state/state.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { ApiRoute } from './api-route.js'
import { billingRoutes } from './billing-routes.js'
import { checkoutRoutes } from './checkout-routes.js'
import { customerRoutes } from './customer-routes.js'
import type { Finders } from './expand.js'
import { subscriptionRoutes } from './subscription-routes.js'

export interface ApiParts {
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
}

/** The part of Stripe's API that the sandbox speaks. */
export function apiRoutes(parts: ApiParts): ApiRoute[] {
  const customer = (id: string) => parts.customers.findOrDeleted(id)
  const subscription = (id: string) => parts.subscriptions.find(id)
  const invoice = (id: string) => parts.state.invoices.get(id) ?? null
  const charge = (id: string) => parts.charges.find(id)
  const ofCheckout: Finders = { customer, subscription, invoice }
  const ofSubscription: Finders = { customer, latest_invoice: invoice }
  return [
    ...customerRoutes(parts.customers, parts.deletion),
    ...checkoutRoutes(parts.checkouts, ofCheckout),
    ...subscriptionRoutes(parts.subscriptions, ofSubscription),
    ...billingRoutes(parts, { customer, charge }),
  ]
}
