import type { Customers } from '../customers/customers.js'
import type { Form } from '../http/form.js'
import { requiredText, text, webUrl } from '../http/form-fields.js'
import type { Prices } from '../prices/prices.js'
import type { State } from '../state/state.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import { portalFlow } from './portal-flow.js'
import { newPortalSession, type PortalSession, portalUrl } from './portal-session.js'

export class Portals {
  constructor(
    private readonly state: State,
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
    private readonly prices: Prices,
    private readonly pagesUrl: string,
  ) {}

  /**
   * A new portal session; throws 400 for an unknown customer, a bad URL, and a flow about something the
   * customer does not have or that Stripe would refuse.
   */
  create(params: Form): PortalSession {
    const { id } = this.customers.find(requiredText(params, 'customer'), 'parameter')
    const returnUrl = text(params, 'return_url')
    if (returnUrl !== null) webUrl(returnUrl, 'return_url')
    const flow = portalFlow(params, this.subscriptions.list(id, null), this.prices)
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
