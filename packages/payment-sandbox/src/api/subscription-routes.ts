import type { Customers } from '../customers/customers.js'
import { ApiError } from '../http/api-error.js'
import { text } from '../http/form-fields.js'
import { shown } from '../subscriptions/subscription.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { ApiRoute } from './api-route.js'
import { expanded, expandedPage, type Finders } from './expand.js'
import { createdWithin, listPage } from './list.js'

const SUBSCRIPTIONS = '/v1/subscriptions'
const ITEMS = '/v1/subscription_items'
const MISSING = 'Missing required param: subscription.'

export function subscriptionRoutes(
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
