import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { Api, ApiRouter, IdempotencyKeys } from './api.js'
import { Charges, Refunds } from './charges.js'
import { Checkouts } from './checkouts.js'
import { CustomerDeletion } from './customer-deletion.js'
import { Customers } from './customers.js'
import { Dunning } from './dunning.js'
import { Events, SecondaryEvents, WebhookDeliveries } from './events.js'
import { readRequest } from './http.js'
import { Invoices, Prorations } from './invoices.js'
import { ControlRoutes, OverviewPage } from './overview-page.js'
import { branded, FONT_PATH, type PageAnswer, type PageBrand } from './page.js'
import { HostedPages } from './pages.js'
import { DelayedPayments, Payments } from './payments.js'
import { PortalPages } from './portal-pages.js'
import { Dashboard, PortalActions, Portals } from './portals.js'
import { Prices } from './prices.js'
import { accountRoute, apiRoutes, dashboardRoutes } from './routes.js'
import { SandboxSettings, Simulator } from './simulator.js'
import type { State } from './state.js'
import { Renewals, SubscriptionBilling, Subscriptions, Trials } from './subscriptions.js'

interface ProviderOptions {
  secretKey: string
  webhookSecret: string
  webhookCertificate?: string
  host?: string
  priceIds: string[]
  maxEvents: number
  secondaryEvents: boolean
  accountId: string
  brand?: PageBrand
}

/** All services of the sandbox, wired together on one state. */
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
  readonly invoices: Invoices
  readonly dashboard: Dashboard
  readonly simulator: Simulator
  readonly api: Api
  readonly pages: HostedPages
  private readonly control: ControlRoutes
  private readonly brand: PageBrand | null
  private readonly host: string | undefined

  constructor(state: State, options: ProviderOptions, pagesUrl: string) {
    this.deliveries = new WebhookDeliveries(state, options.webhookSecret, options.webhookCertificate)
    this.dashboard = new Dashboard(options.priceIds, () => this.deliveries.url)
    this.brand = options.brand ?? null
    this.host = options.host
    const hasWebhook = () => this.deliveries.url !== null
    const events = new Events(state, hasWebhook, options.maxEvents, options.secondaryEvents)
    const secondaryEvents = new SecondaryEvents(events)
    const prices = new Prices(options.priceIds, this.dashboard.archivedProducts)
    const customers = new Customers(state, events)
    const prorations = new Prorations(state)
    const invoices = new Invoices(state, prorations, pagesUrl)
    const billing = new SubscriptionBilling(invoices, prorations)
    const renewals = new Renewals(state, events, secondaryEvents, invoices)
    const subscriptions = new Subscriptions(state, events, prices, billing, renewals)
    const checkouts = new Checkouts(state, events, customers, prices, pagesUrl)
    this.events = events
    this.invoices = invoices
    this.subscriptions = subscriptions
    this.checkouts = checkouts
    this.payments = new Payments(state, { events, secondaryEvents }, customers, checkouts, invoices)
    this.delayedPayments = new DelayedPayments(
      { events, secondaryEvents },
      checkouts,
      invoices,
      subscriptions,
    )
    this.dunning = new Dunning({ events, secondaryEvents }, customers, invoices, subscriptions)
    this.charges = new Charges(state, events, invoices, subscriptions)
    this.refunds = new Refunds(this.charges)
    this.trials = new Trials(events, subscriptions)
    this.deletion = new CustomerDeletion(state, events, customers, checkouts, subscriptions)
    this.portals = new Portals(state, customers, subscriptions, prices, this.dashboard, pagesUrl)
    const routes = apiRoutes({ ...this, state, customers, prices })
    this.api = new Api(
      options.secretKey,
      new ApiRouter([...routes, ...dashboardRoutes(this.dashboard), accountRoute(options.accountId)]),
      new IdempotencyKeys(state),
    )
    const actions = new PortalActions(events, customers, subscriptions, invoices, this.dunning)
    const portalPages = new PortalPages(state, subscriptions, invoices, prices, actions)
    this.pages = new HostedPages(
      state,
      customers,
      checkouts,
      invoices,
      this.payments,
      portalPages,
      this.dunning,
    )
    const settings = new SandboxSettings(this.api, this.deliveries)
    this.simulator = new Simulator(this)
    this.control = new ControlRoutes(settings, this.simulator, new OverviewPage(state, settings))
  }

  /** Points what an earlier run left at the current pages. */
  updatePageUrls(): void {
    this.checkouts.updatePageUrls()
    this.portals.updatePageUrls()
    this.invoices.updatePageUrls()
  }

  /**
   * Answers one request: the API under /v1/ and /v2/, the control routes under /control and at the root, pages
   * elsewhere. Events go out after the answer.
   */
  async serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    reply.once('close', () => this.deliveries.deliverPending())
    try {
      if (!this.isOwn(request.headers.host)) {
        reply.writeHead(421, { 'Content-Type': 'text/plain' }).end('This host is not the sandbox\n')
        return
      }
      const received = await readRequest(request)
      const font = received.path === FONT_PATH ? this.brand?.font : undefined
      if (/^\/v[12]\//.test(received.path)) await this.api.answer(received, reply)
      else if (font)
        reply.writeHead(200, { 'Content-Type': 'font/woff2', 'Cache-Control': 'max-age=86400' }).end(font)
      else this.send(reply, (await this.control.answer(received)) ?? this.pages.answer(received))
    } catch (error) {
      // A client that hangs up is no error. Anything else is a bug here, which must not stop the server in
      // this process.
      if (request.complete) console.error('Payment sandbox:', error)
      reply.destroy()
    }
  }

  /**
   * A foreign name that leads to this machine (DNS rebinding) has an origin of its own, in which any page could read and
   * control the sandbox. Nobody can make an address lead elsewhere, or a name without a dot.
   */
  private isOwn(host: string | undefined): boolean {
    const url = `http://${host}`
    if (!host || !URL.canParse(url)) return false
    const { hostname } = new URL(url)
    return (
      hostname === this.host ||
      hostname.endsWith('.localhost') ||
      !hostname.includes('.') ||
      isIP(hostname) !== 0
    )
  }

  private send(reply: ServerResponse, { status, headers, body }: PageAnswer): void {
    reply.writeHead(status, headers).end(this.brand ? branded(body, this.brand) : body)
  }
}
