import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type Stripe from 'stripe'
import { PROVIDER } from '../../conformance/service/environment.js'
import { sessionIdOf } from '../../conformance/values/session-cookie.js'
import type { PaymentSandbox, User } from '../../sources.js'
import { request, type TestResponse } from '../../support/http-request.js'
import { PASSWORD } from '../../support/people.js'
import { MAIN } from '../../support/test-app.js'
import type { KillableService } from '../support/killable-service.js'
import type { Random } from '../support/random.js'

/** What a paying account acts on. */
export interface BillingWorld {
  readonly services: readonly KillableService[]
  readonly sandbox: PaymentSandbox
  readonly stripe: Stripe
  readonly database: pg.Pool
  readonly random: Random
}

/** The people of an account. */
export interface Team {
  readonly owner: User
  readonly memberIds: readonly string[]
}

/** A click is repeated this often before the owner comes back another time. */
const MOST_TRIES = 40
const BETWEEN_TRIES_MS = 150
/** What a person reads on the page that says that the payment is on its way; its events come meanwhile, or not. */
const MOST_PATIENCE_MS = 600
const IN_DAYS = Math.floor(Date.now() / 1000) + 5 * 24 * 60 * 60

/** An account whose owner clicks impatiently and pays whatever can be paid. */
export class PayingAccount {
  /** The live subscription at the provider, as far as the owner knows. */
  subscriptionId: string | null = null
  isBuying = false
  /** The checkouts whose page the owner was ever sent to. */
  private readonly pages = new Set<string>()
  /** How often the service answered a click with a page or with a refusal. */
  answers = 0
  /** How often that was because a payment was on its way. */
  paymentsPending = 0

  private constructor(
    readonly accountId: string,
    private readonly world: BillingWorld,
    private readonly headers: Record<string, string>,
    private readonly memberIds: readonly string[],
  ) {}

  static async signIn({ owner, memberIds }: Team, world: BillingWorld): Promise<PayingAccount> {
    const answer = await request(world.services[0]!.url, {
      method: 'POST',
      path: '/api/login',
      headers: { Origin: MAIN },
      body: { email: owner.email, password: PASSWORD, source: 'main' },
    })
    if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${answer.text}`)
    const headers = {
      Origin: MAIN,
      Authorization: `Bearer ${answer.json.accessToken}`,
      Cookie: `sessionId=${sessionIdOf(answer)}`,
    }
    return new PayingAccount(owner.accountId, world, headers, memberIds)
  }

  /**
   * Two tabs subscribe at the same time, through any process; then every page that either ever showed is paid, but for
   * some that are left until they expire.
   */
  async buy(): Promise<void> {
    this.isBuying = true
    const { random, stripe } = this.world
    const prices = Array.from({ length: 2 }, () => random.oneOf(PROVIDER.priceIds))
    await Promise.all(prices.map(priceId => this.click(priceId)))
    const customer = await this.customerId()
    if (customer) {
      for (const id of this.pages)
        await this.leaveOrPay(id).catch(() => {
          // It was paid or expired.
        })
      this.pages.clear()
      this.subscriptionId = (await stripe.subscriptions.list({ customer })).data[0]?.id ?? null
    }
    this.isBuying = false
  }

  /** The owner looks at a page and pays nothing. Returns how many pages have expired. */
  async letPagesExpire(): Promise<number> {
    const { random, sandbox } = this.world
    await this.click(random.oneOf(PROVIDER.priceIds))
    const shown = [...this.pages]
    this.pages.clear()
    for (const id of shown) await sandbox.simulate.expire(id)
    return shown.length
  }

  /** What the owner, the provider's dashboard or the card may do to a subscription at any time. */
  async change(): Promise<void> {
    const { random, sandbox } = this.world
    const id = this.subscriptionId as string
    const action = random.below(10)
    if (action < 1)
      return sandbox.simulate.changeSubscription(id, { cancel_at_period_end: random.below(2) === 0 })
    // As in the portal: a date, and no flag.
    if (action < 3)
      return sandbox.simulate.changeSubscription(id, { cancel_at: random.below(2) === 0 ? IN_DAYS : null })
    if (action < 6)
      return sandbox.simulate.changeSubscription(id, { items: [{ price: random.oneOf(PROVIDER.priceIds) }] })
    if (action < 9) {
      const status = random.oneOf(['active', 'past_due', 'trialing'] as const)
      return sandbox.simulate.changeSubscription(id, { status })
    }
    this.subscriptionId = null
    await sandbox.simulate.cancel(id)
  }

  /** Throws for a page that is closed. */
  private async leaveOrPay(checkoutId: string): Promise<void> {
    const { random, sandbox } = this.world
    const choice = random.below(8)
    if (choice === 0) await sandbox.simulate.expire(checkoutId)
    else if (choice < 3) await this.payLater(checkoutId)
    else await sandbox.simulate.pay(checkoutId)
  }

  /** A debit that takes its time, while the owner clicks again; one in two comes to nothing, and the owner lets it be. */
  private async payLater(checkoutId: string): Promise<void> {
    const { random, sandbox } = this.world
    await sandbox.simulate.payByBankDebit(checkoutId)
    await sleep(random.below(MOST_PATIENCE_MS))
    // As impatient as ever; whatever page this leads to is paid too.
    await this.click(random.oneOf(PROVIDER.priceIds))
    await sleep(random.below(BETWEEN_TRIES_MS))
    const succeeds = random.below(2) === 0
    await sandbox.simulate.settleBankDebit(checkoutId, succeeds ? 'succeeded' : 'failed')
    const { subscription } = sandbox.checkouts().find(({ id }) => id === checkoutId)!
    if (!succeeds) await sandbox.simulate.cancel(subscription as string)
  }

  /** Somebody goes, or comes back: the number of seats is another. */
  async changeTeam(): Promise<void> {
    const { random } = this.world
    const path = `/api/team/${random.oneOf(this.memberIds)}/${random.oneOf(['disable', 'enable'])}`
    await this.untilAnswered(() => this.post(path, undefined))
  }

  async customerId(): Promise<string | null> {
    const { rows } = await this.world.database.query<{ customer_id: string }>(
      'select customer_id from billing_customers where account_id = $1',
      [this.accountId],
    )
    return rows[0]?.customer_id ?? null
  }

  /** Clicks until there is an answer, as a person does whose browser shows an error. */
  private async click(priceId: string): Promise<void> {
    const answer = await this.untilAnswered(() => this.post('/api/subscription/create', { priceId }))
    if (!answer) return
    this.answers++
    if (answer.json.code === 'PAYMENT_PENDING') this.paymentsPending++
    await this.follow(answer)
  }

  private async untilAnswered(ask: () => Promise<TestResponse>): Promise<TestResponse | null> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const answer = await ask().catch(() => null)
      if (answer && answer.status < 500 && answer.status !== 429) return answer
      await sleep(BETWEEN_TRIES_MS)
    }
    return null
  }

  /** To the page of a checkout, or to the one that changes the plan of what there is. */
  private async follow({ text }: TestResponse): Promise<void> {
    const [, kind, id] = /\/(pay|portal)\/(\w+)"/.exec(text) ?? []
    if (kind === 'pay') this.pages.add(id as string)
    if (kind === 'portal')
      await fetch(`${this.world.sandbox.url}/portal/${id}/confirm`, { method: 'POST', redirect: 'manual' })
  }

  private post(path: string, body: object | undefined): Promise<TestResponse> {
    const { random, services } = this.world
    const { headers } = this
    return request(random.oneOf(services).url, { method: 'POST', path, headers, ...(body && { body }) })
  }
}
