import type { ApiRoute } from './api-route.js'

/** Whose the secret key is. */
export function accountRoute(accountId: string): ApiRoute {
  return ['GET', '/v1/account', () => ({ id: accountId, object: 'account' })]
}
