import type { IncomingMessage, ServerResponse } from 'node:http'
import { accountRoute } from './account-route.js'
import { Api } from './api.js'
import { ApiRouter } from './api-router.js'
import { apiRoutes } from './api-routes.js'
import { Charges } from './charges.js'
import { Checkouts } from './checkouts.js'
import { ControlRoutes } from './control-routes.js'
import { Controls } from './controls.js'
import { CustomerDeletion } from './customer-deletion.js'
import { Customers } from './customers.js'
import { DelayedPayments } from './delayed-payments.js'
import { Dunning } from './dunning.js'
import { Events } from './events.js'
import { Happenings } from './happenings.js'
import { HostedPages } from './hosted-pages.js'
import { IdempotencyKeys } from './idempotency-keys.js'
import { readIncoming } from './incoming.js'
import { Invoices } from './invoices.js'
import { OverviewPage } from './overview-page.js'
import type { PageAnswer } from './page-answer.js'
import { Payments } from './payments.js'
import { PortalActions } from './portal-actions.js'
import { PortalPages } from './portal-pages.js'
import { Portals } from './portals.js'
import { Prices } from './prices.js'
import { Prorations } from './prorations.js'
import { Refunds } from './refunds.js'
import { Renewals } from './renewals.js'
import { SideEvents } from './side-events.js'
import type { State } from './state.js'
import { SubscriptionBilling } from './subscription-billing.js'
import { Subscriptions } from './subscriptions.js'
import { Trials } from './trials.js'
import { WebhookDeliveries } from './webhook-deliveries.js'

export interface ProviderOptions {
  secretKey: string
  webhookSecret: string
  priceIds: string[]
  keptEvents: number
  sideEvents: boolean
  accountId: string
}

/** The parts of the sandbox on one state, put together. */
export class Provider {
  readonly deliveries: WebhookDeliveries
  readonly events: Events
  readonly checkouts: Checkouts
  readonly subscriptions: Subscriptions
  readonly payments: Payments
  readonly delayedPayments: DelayedPayments
  readonly dunning: Dunning
  readonly charges: Charges
  readonly refunds: Refunds
  readonly trials: Trials
  readonly deletion: CustomerDeletion
  readonly portals: Portals
  readonly api: Api
  readonly pages: HostedPages
  private readonly control: ControlRoutes

  constructor(state: State, options: ProviderOptions, pagesUrl: string) {
    this.deliveries = new WebhookDeliveries(state, options.webhookSecret)
    const hasWebhook = () => this.deliveries.url !== null
    const events = new Events(state, hasWebhook, options.keptEvents, options.sideEvents)
    const sideEvents = new SideEvents(events)
    const prices = new Prices(options.priceIds)
    const customers = new Customers(state, events)
    const prorations = new Prorations(state)
    const invoices = new Invoices(state, prorations)
    const billing = new SubscriptionBilling(invoices, prorations)
    const renewals = new Renewals(events, invoices)
    const subscriptions = new Subscriptions(state, events, prices, billing, renewals)
    const checkouts = new Checkouts(state, events, customers, prices, pagesUrl)
    this.events = events
    this.subscriptions = subscriptions
    this.checkouts = checkouts
    this.payments = new Payments(state, { events, sideEvents }, customers, checkouts, invoices)
    this.delayedPayments = new DelayedPayments({ events, sideEvents }, checkouts, invoices, subscriptions)
    this.dunning = new Dunning(events, invoices, subscriptions)
    this.charges = new Charges(state, events, invoices, subscriptions)
    this.refunds = new Refunds(this.charges)
    this.trials = new Trials(events, subscriptions)
    this.deletion = new CustomerDeletion(state, events, customers, checkouts, subscriptions)
    this.portals = new Portals(state, customers, subscriptions, prices, pagesUrl)
    const routes = apiRoutes({ ...this, state, customers, invoices, prices })
    this.api = new Api(
      options.secretKey,
      new ApiRouter([...routes, accountRoute(options.accountId)]),
      new IdempotencyKeys(state),
    )
    const actions = new PortalActions(events, customers, subscriptions, invoices, this.dunning)
    const portalPages = new PortalPages(state, subscriptions, invoices, prices, actions)
    this.pages = new HostedPages(state, customers, checkouts, this.payments, portalPages)
    const controls = new Controls(this.api, this.deliveries)
    this.control = new ControlRoutes(controls, new Happenings(this), new OverviewPage(state, controls))
  }

  /** Gives what an earlier run left the address that pages have now. */
  movePages(): void {
    this.checkouts.moveOpenPages()
    this.portals.movePages()
  }

  /** Answers one request: the API under /v1/, the controls under /control and at the root, pages elsewhere. Nobody waits for the webhook: events go out afterwards. */
  async serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    reply.once('close', () => this.deliveries.deliverPending())
    try {
      const incoming = await readIncoming(request)
      if (incoming.path.startsWith('/v1/')) await this.api.answer(incoming, reply)
      else sendPage(reply, this.control.answer(incoming) ?? this.pages.answer(incoming))
    } catch (error) {
      // A client that hangs up is its own affair; anything else is a fault here, and the server beside must live on.
      if (request.complete) console.error('Payment sandbox:', error)
      reply.destroy()
    }
  }
}

function sendPage(reply: ServerResponse, { status, headers, body }: PageAnswer): void {
  reply.writeHead(status, headers).end(body)
}
