import type { CustomerDeletion } from '../customers/customer-deletion.js'
import type { Customers } from '../customers/customers.js'
import type { ApiRoute } from './api-route.js'
import { listPage } from './list.js'

const CUSTOMERS = '/v1/customers'

export function customerRoutes(customers: Customers, deletion: CustomerDeletion): ApiRoute[] {
  return [
    ['POST', CUSTOMERS, ({ params, cause }) => customers.create(params, cause)],
    ['GET', CUSTOMERS, ({ params }) => listPage(customers.list(params), params, CUSTOMERS)],
    ['POST', `${CUSTOMERS}/:id`, ({ id, params, cause }) => customers.update(id, params, cause)],
    ['GET', `${CUSTOMERS}/:id`, ({ id }) => customers.findOrDeleted(id)],
    ['DELETE', `${CUSTOMERS}/:id`, ({ id, cause }) => deletion.delete(id, cause)],
  ]
}
