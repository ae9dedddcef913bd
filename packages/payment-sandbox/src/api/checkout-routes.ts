import type { Checkouts } from '../checkout/checkouts.js'
import { text } from '../http/form-fields.js'
import type { ApiRoute } from './api-route.js'
import { expanded, expandedPage, type Finders } from './expand.js'
import { listPage } from './list.js'

const CHECKOUTS = '/v1/checkout/sessions'

export function checkoutRoutes(checkouts: Checkouts, finders: Finders): ApiRoute[] {
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
