import type { Dashboard } from '../dashboard/dashboard.js'
import type { ApiRoute } from './api-route.js'
import { listPage } from './list.js'

const ENDPOINTS = '/v1/webhook_endpoints'
const DESTINATIONS = '/v2/core/event_destinations'
const CONFIGURATIONS = '/v1/billing_portal/configurations'

/** Read-only: what is configured by hand in the dashboard. */
export function dashboardRoutes(dashboard: Dashboard): ApiRoute[] {
  return [
    ['GET', ENDPOINTS, ({ params }) => listPage(dashboard.webhookEndpoints(), params, ENDPOINTS)],
    [
      'GET',
      DESTINATIONS,
      () => ({ data: dashboard.eventDestinations(), next_page_url: null, previous_page_url: null }),
    ],
    ['GET', CONFIGURATIONS, ({ params }) => listPage([dashboard.portal], params, CONFIGURATIONS)],
  ]
}
