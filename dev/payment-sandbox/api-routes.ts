import type { Checkouts } from './checkouts.js'
import type { Customers } from './customers.js'
import type { EventCause } from './events.js'
import { expanded } from './expand.js'
import type { Form } from './form.js'
import { text } from './form-fields.js'
import { listPage } from './list.js'
import type { Subscriptions } from './subscriptions.js'

export interface ApiCall {
  /** What stood for `:id` in the path, or empty. */
  id: string
  params: Form
  cause: EventCause
}

export type ApiRoute = [method: string, path: string, handle: (call: ApiCall) => object]

const CHECKOUTS = '/v1/checkout/sessions'
const SUBSCRIPTIONS = '/v1/subscriptions'

/** The part of Stripe's API that the sandbox speaks. */
export function apiRoutes(
  customers: Customers,
  checkouts: Checkouts,
  subscriptions: Subscriptions,
): ApiRoute[] {
  const findCustomer = (id: string) => customers.find(id)
  const findSubscription = (id: string) => subscriptions.find(id)
  const expandCheckout = (checkout: object, params: Form) =>
    expanded(checkout, params, { customer: findCustomer, subscription: findSubscription })
  const expandSubscription = (subscription: object, params: Form) =>
    expanded(subscription, params, { customer: findCustomer })

  return [
    ['POST', '/v1/customers', ({ params }) => customers.create(params)],
    ['GET', '/v1/customers/:id', ({ id }) => customers.find(id)],
    ['POST', CHECKOUTS, ({ params }) => expandCheckout(checkouts.create(params), params)],
    ['GET', `${CHECKOUTS}/:id`, ({ id, params }) => expandCheckout(checkouts.find(id).checkout, params)],
    [
      'POST',
      `${CHECKOUTS}/:id/expire`,
      ({ id, params, cause }) => expandCheckout(checkouts.expire(id, cause), params),
    ],
    [
      'GET',
      CHECKOUTS,
      ({ params }) => {
        const page = listPage(checkouts.list(text(params, 'customer')), params, CHECKOUTS)
        return { ...page, data: page.data.map(checkout => expandCheckout(checkout, params)) }
      },
    ],
    ['GET', `${SUBSCRIPTIONS}/:id`, ({ id, params }) => expandSubscription(subscriptions.find(id), params)],
    [
      'GET',
      SUBSCRIPTIONS,
      ({ params }) => {
        const found = subscriptions.list(text(params, 'customer'), text(params, 'status'))
        const page = listPage(found, params, SUBSCRIPTIONS)
        return { ...page, data: page.data.map(subscription => expandSubscription(subscription, params)) }
      },
    ],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params, cause }) => expandSubscription(subscriptions.update(id, params, cause), params),
    ],
    [
      'DELETE',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params, cause }) => expandSubscription(subscriptions.cancel(id, cause), params),
    ],
  ]
}
