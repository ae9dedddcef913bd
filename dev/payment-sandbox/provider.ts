import type { IncomingMessage, ServerResponse } from 'node:http'
import { Api } from './api.js'
import { ApiRouter } from './api-router.js'
import { apiRoutes } from './api-routes.js'
import { Checkouts } from './checkouts.js'
import { Customers } from './customers.js'
import { Events } from './events.js'
import { HostedPages } from './hosted-pages.js'
import { IdempotencyKeys } from './idempotency-keys.js'
import { readIncoming } from './incoming.js'
import type { PageAnswer } from './page-answer.js'
import { Payments } from './payments.js'
import { Prices } from './prices.js'
import type { State } from './state.js'
import { Subscriptions } from './subscriptions.js'
import { WebhookDeliveries } from './webhook-deliveries.js'

/** The parts of the sandbox on one state, put together. */
export class Provider {
  readonly deliveries: WebhookDeliveries
  readonly checkouts: Checkouts
  readonly subscriptions: Subscriptions
  readonly payments: Payments
  readonly api: Api
  readonly pages: HostedPages

  constructor(
    state: State,
    options: { secretKey: string; webhookSecret: string; priceIds: string[] },
    pagesUrl: string,
  ) {
    this.deliveries = new WebhookDeliveries(state, options.webhookSecret)
    const events = new Events(state, () => this.deliveries.url !== null)
    const prices = new Prices(options.priceIds)
    const customers = new Customers(state)
    this.checkouts = new Checkouts(state, events, customers, prices, pagesUrl)
    this.subscriptions = new Subscriptions(state, events, prices)
    this.payments = new Payments(state, events, customers, this.checkouts)
    const routes = apiRoutes(customers, this.checkouts, this.subscriptions)
    this.api = new Api(options.secretKey, new ApiRouter(routes), new IdempotencyKeys(state))
    this.pages = new HostedPages(state, customers, this.checkouts, this.payments)
  }

  /** Answers one request: the API under /v1/, pages elsewhere. Nobody waits for the webhook: events go out afterwards. */
  async serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    reply.once('close', () => this.deliveries.deliverPending())
    try {
      const incoming = await readIncoming(request)
      if (incoming.path.startsWith('/v1/')) await this.api.answer(incoming, reply)
      else sendPage(reply, this.pages.answer(incoming))
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
