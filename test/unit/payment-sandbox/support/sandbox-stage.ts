import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import { type PageBrand, PaymentSandbox } from '../../../sources.js'

const SECRET_KEY = 'sk_test_for_the_sandbox'
const WEBHOOK_SECRET = 'whsec_for_the_sandbox'

export type CheckoutTerms = Partial<Stripe.Checkout.SessionCreateParams>

/** A sandbox, a webhook that checks signatures and records events, and the provider's package as the client. */
export class SandboxStage {
  readonly received: Stripe.Event[] = []
  /** The statuses of the webhook's next answers; 200 when empty. */
  statuses: number[] = []
  webhookUrl: string | null = null
  stripe!: Stripe
  private readonly webhook: Server
  private running: PaymentSandbox | null = null

  private constructor(private readonly brand?: PageBrand) {
    this.webhook = createServer(async (request, reply) => {
      const signature = request.headers['stripe-signature'] as string
      this.received.push(this.stripe.webhooks.constructEvent(await text(request), signature, WEBHOOK_SECRET))
      reply.writeHead(this.statuses.shift() ?? 200).end()
    })
  }

  static async open({ brand }: { brand?: PageBrand } = {}): Promise<SandboxStage> {
    const stage = new SandboxStage(brand)
    await new Promise<void>(resolve => stage.webhook.listen(0, '127.0.0.1', resolve))
    stage.webhookUrl = `http://127.0.0.1:${(stage.webhook.address() as AddressInfo).port}/`
    await stage.start()
    return stage
  }

  /** For tests that read events from the sandbox itself. */
  static async withoutWebhook(): Promise<SandboxStage> {
    const stage = new SandboxStage()
    await stage.start()
    return stage
  }

  get sandbox(): PaymentSandbox {
    return this.running!
  }

  /** Starts the sandbox, or stops it and starts another with the state of a file. */
  async start(stateFile?: string, priceIds = ['price_small', 'price_large']): Promise<void> {
    await this.running?.stop()
    this.running = await PaymentSandbox.start({
      port: 0,
      secondaryEvents: false,
      secretKey: SECRET_KEY,
      webhookUrl: this.webhookUrl,
      webhookSecret: WEBHOOK_SECRET,
      priceIds,
      stateFile,
      brand: this.brand,
    })
    this.stripe = this.client(SECRET_KEY)
  }

  async close(): Promise<void> {
    this.webhook.close()
    await this.sandbox.stop()
  }

  client(key: string): Stripe {
    const { hostname, port } = new URL(this.sandbox.url)
    return new Stripe(key, {
      host: hostname,
      port: Number(port),
      protocol: 'http',
      maxNetworkRetries: 0,
      timeout: 500,
    })
  }

  async openCheckout(terms: CheckoutTerms = {}): Promise<Stripe.Checkout.Session> {
    const customer = terms.customer ?? (await this.stripe.customers.create({ email: 'owner@example.com' })).id
    return this.stripe.checkout.sessions.create({ ...checkoutTerms(customer), ...terms })
  }

  async subscribe(terms?: CheckoutTerms): Promise<Stripe.Subscription> {
    const { id } = await this.openCheckout(terms)
    await this.sandbox.simulate.pay(id)
    const paid = await this.stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
    return paid.subscription as Stripe.Subscription
  }

  /** Types of the events that `work` causes, oldest first; of all events without it. */
  async eventTypes(work?: () => Promise<unknown>): Promise<string[]> {
    const before = work ? this.sandbox.events().length : 0
    await work?.()
    return this.sandbox
      .events()
      .slice(before)
      .map(({ type }) => type)
  }
}

export function checkoutTerms(customer?: string): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    customer,
    client_reference_id: 'account-1',
    line_items: [{ price: 'price_small', quantity: 1 }],
    success_url: 'https://main.example/done?checkout={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://main.example/cancelled',
    metadata: { accountId: 'account-1' },
    subscription_data: { metadata: { accountId: 'account-1' } },
  }
}

export function clickOnPage(url: string | null, button: 'pay' | 'cancel' | 'decline'): Promise<Response> {
  return fetch(`${url}/${button}`, { method: 'POST', redirect: 'manual' })
}
