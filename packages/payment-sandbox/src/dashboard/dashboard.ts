import Stripe from 'stripe'
import { nowSeconds } from '../state/clock.js'
import { newPortalConfiguration, type PortalConfiguration } from './portal-configuration.js'

export type WebhookEndpoint = Stripe.WebhookEndpoint

/** What is configured by hand in Stripe's dashboard: the webhook endpoint, the portal, and archived products. */
export class Dashboard {
  /** Change this to simulate a change in the dashboard; the sandbox itself does not depend on it. */
  readonly portal: PortalConfiguration
  /** The endpoint's fields besides its URL, which is the sandbox's `webhookUrl`. */
  readonly webhook: Omit<WebhookEndpoint, 'url'>

  /** Where thin events are said to go; the sandbox sends none. */
  thinEventsUrl: string | null = null

  /** Ids of products that are archived; their prices stay active. */
  readonly archivedProducts = new Set<string>()

  constructor(
    priceIds: readonly string[],
    private readonly webhookUrl: () => string | null,
  ) {
    this.portal = newPortalConfiguration(priceIds)
    this.webhook = {
      id: 'we_sandbox',
      object: 'webhook_endpoint',
      api_version: Stripe.API_VERSION,
      application: null,
      created: nowSeconds(),
      description: null,
      enabled_events: ['*'],
      livemode: false,
      metadata: {},
      status: 'enabled',
    }
  }

  /** Of those that send thin events, which are not among the endpoints. */
  eventDestinations(): Stripe.V2.Core.EventDestination[] {
    const created = new Date(this.webhook.created * 1000).toISOString()
    if (this.thinEventsUrl === null) return []
    return [
      {
        id: 'ed_sandbox',
        object: 'v2.core.event_destination',
        created,
        description: '',
        enabled_events: ['v1.invoice.paid'],
        event_payload: 'thin',
        events_from: ['@self'],
        livemode: false,
        metadata: {},
        name: 'Thin events',
        status: 'enabled',
        type: 'webhook_endpoint',
        updated: created,
        webhook_endpoint: { url: this.thinEventsUrl },
      },
    ]
  }

  /** One endpoint, or none while events go nowhere. */
  webhookEndpoints(): WebhookEndpoint[] {
    const url = this.webhookUrl()
    return url === null ? [] : [{ ...this.webhook, url }]
  }
}
