import type { ApiRoute } from './api-route.js'

/** The account that the secret key belongs to. */
export function accountRoute(accountId: string): ApiRoute {
  return ['GET', '/v1/account', () => ({ id: accountId, object: 'account' })]
}
