import type { Customers } from '../customers/customers.js'
import type { Dashboard } from '../dashboard/dashboard.js'
import type { PortalConfiguration } from '../dashboard/portal-configuration.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { requiredText, text, webUrl } from '../http/form-fields.js'
import type { Prices } from '../prices/prices.js'
import type { State } from '../state/state.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import { portalFlow } from './portal-flow.js'
import { newPortalSession, type PortalFlow, type PortalSession, portalUrl } from './portal-session.js'

export class Portals {
  constructor(
    private readonly state: State,
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
    private readonly prices: Prices,
    private readonly dashboard: Dashboard,
    private readonly pagesUrl: string,
  ) {}

  /**
   * A new portal session; throws 400 for an unknown customer, a bad URL, and a flow about something the
   * customer does not have or that the portal is not configured for.
   */
  create(params: Form): PortalSession {
    const { id } = this.customers.find(requiredText(params, 'customer'), 'parameter')
    const returnUrl = text(params, 'return_url')
    if (returnUrl !== null) webUrl(returnUrl, 'return_url')
    const { portal } = this.dashboard
    requireActive(portal)
    const flow = portalFlow(params, this.subscriptions.list(id, null), this.prices)
    if (flow?.subscription_update_confirm) requireOffered(flow.subscription_update_confirm.items, portal)
    const session = newPortalSession(id, { returnUrl, locale: text(params, 'locale') }, flow, this.pagesUrl)
    this.state.portals.set(session.id, { session, isFlowDone: false })
    this.state.changed()
    return session
  }

  /** Points the sessions of an earlier run at the current pages: the port may have changed. */
  updatePageUrls(): void {
    for (const { session } of this.state.portals.values()) session.url = portalUrl(session.id, this.pagesUrl)
  }
}

type ConfirmedItems = NonNullable<PortalFlow['subscription_update_confirm']>['items']

/** The messages below are Stripe's. */
function requireActive({ active }: PortalConfiguration): void {
  if (active) return
  throw refused(
    'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
  )
}

function requireOffered(items: ConfirmedItems, { features }: PortalConfiguration): void {
  const { enabled, products } = features.subscription_update
  if (!enabled)
    throw refused(
      'This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.',
    )
  const offered = new Set(products?.flatMap(({ prices }) => prices))
  const missing = items.find(({ price }) => price && !offered.has(price))
  if (missing)
    throw refused(
      `The item cannot be updated to price \`${missing.price}\` because the configuration \`bpc_sandbox\` does not include the price in its \`features[subscription_update][products]\`.`,
    )
}

function refused(message: string): ApiError {
  return new ApiError(400, 'invalid_request_error', message)
}
