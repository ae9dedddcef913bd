import { shown } from '../subscriptions/subscription.js'
import type { ApiRoute } from './api-route.js'
import type { ApiServices } from './api-services.js'
import { billingRoutes } from './billing-routes.js'
import { checkoutRoutes } from './checkout-routes.js'
import { customerRoutes } from './customer-routes.js'
import type { Finders } from './expand.js'
import { subscriptionRoutes } from './subscription-routes.js'

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
