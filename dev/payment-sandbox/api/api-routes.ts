import type { ApiRoute } from './api-route.js'
import type { ApiServices } from './api-services.js'
import { billingRoutes } from './billing-routes.js'
import { checkoutRoutes } from './checkout-routes.js'
import { customerRoutes } from './customer-routes.js'
import type { Finders } from './expand.js'
import { subscriptionRoutes } from './subscription-routes.js'

/** The part of Stripe's API that the sandbox speaks. */
export function apiRoutes(parts: ApiServices): ApiRoute[] {
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
