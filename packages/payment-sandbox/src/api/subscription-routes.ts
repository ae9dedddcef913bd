import type { Customers } from '../customers/customers.js'
import { text } from '../http/form-fields.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { ApiRoute } from './api-route.js'
import { expanded, expandedPage, type Finders } from './expand.js'
import { createdWithin, listPage } from './list.js'

const SUBSCRIPTIONS = '/v1/subscriptions'

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
        const page = listPage(found.filter(createdWithin(params)), params, SUBSCRIPTIONS)
        return expandedPage(page, params, finders)
      },
    ],
    ['GET', `${SUBSCRIPTIONS}/:id`, ({ id, params }) => expanded(subscriptions.find(id), params, finders)],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params, cause }) => expanded(subscriptions.update(id, params, cause), params, finders),
    ],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id/pause`,
      ({ id, params, cause }) => expanded(subscriptions.pause(id, cause), params, finders),
    ],
    [
      'POST',
      `${SUBSCRIPTIONS}/:id/resume`,
      ({ id, params, cause }) => expanded(subscriptions.resume(id, params, cause), params, finders),
    ],
    [
      'DELETE',
      `${SUBSCRIPTIONS}/:id`,
      ({ id, params, cause }) => expanded(subscriptions.cancel(id, cause, params), params, finders),
    ],
  ]
}
