import type { ApiRoute } from './api-route.js'
import { billingRoutes } from './billing-routes.js'
import type { Charges } from './charges.js'
import { checkoutRoutes } from './checkout-routes.js'
import type { Checkouts } from './checkouts.js'
import type { CustomerDeletion } from './customer-deletion.js'
import { customerRoutes } from './customer-routes.js'
import type { Customers } from './customers.js'
import type { DelayedPayments } from './delayed-payments.js'
import type { Events } from './events.js'
import type { Finders } from './expand.js'
import type { Invoices } from './invoices.js'
import type { Portals } from './portals.js'
import type { Prices } from './prices.js'
import type { Refunds } from './refunds.js'
import type { State } from './state.js'
import { subscriptionRoutes } from './subscription-routes.js'
import type { Subscriptions } from './subscriptions.js'

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
