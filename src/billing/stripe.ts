import { Injectable } from '@nestjs/common'
import { and, eq, isNotNull, ne, or, type SQL } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import Stripe from 'stripe'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { hostOf } from '../platform/config/origin.js'
import { Settings, type StripeSettings } from '../platform/config/settings.js'
import { billingCustomers } from '../platform/database/schema/billing.js'
import { ApiError, causeMessage, unavailable } from '../platform/errors/api-error.js'
import { HourlyLog, Logger } from '../platform/log.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { Tracing } from '../platform/tracing.js'
import type { SessionActor } from '../sessions/session-actor.js'
import type { FirstPayment } from './subscriptions.js'

/** At most three tries of 3 s with short pauses, so that one of our requests fails after 10 s. */
const TRY_TIMEOUT_MS = 3_000
const MAX_RETRIES = 2

/** The settings of what exists only where payments are taken ({@link PaymentsModule}). */
export function stripeSettingsOf({ stripe }: Settings): StripeSettings {
  if (!stripe) throw new Error('Payments are off')
  return stripe
}

/** The payment provider, or with STRIPE_API_URL a server that speaks its protocol. */
export function createStripe(
  { secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>,
  tracing = new Tracing(),
): Stripe {
  return new Stripe(secretKey, {
    timeout: TRY_TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    ...(tracing.isOn && { httpClient: tracedClient(tracing) }),
    ...(apiUrl && {
      protocol: apiUrl.protocol === 'https:' ? 'https' : 'http',
      host: hostOf(apiUrl),
      port: apiUrl.port,
    }),
  })
}

/** Each try of a request is a span, named by its method alone: paths contain ids of customers. */
function tracedClient(tracing: Tracing) {
  const client = Stripe.createNodeHttpClient()
  const send = client.makeRequest.bind(client)
  client.makeRequest = (...request) => tracing.span(`provider ${request[3]}`, () => send(...request))
  return client
}

/** What {@link callStripe} throws, for the API reference. */
export const PROVIDER_REFUSALS = [
  'PAYMENT_PROVIDER_FAILED',
  'PAYMENT_PROVIDER_REFUSED',
  'PAYMENT_PROVIDER_UNAVAILABLE',
] as const

/**
 * Asks the provider. Throws `PAYMENT_PROVIDER_UNAVAILABLE` (503) when it is out of reach, `PAYMENT_PROVIDER_FAILED` (502)
 * when it fails; both can be retried. Throws `PAYMENT_PROVIDER_REFUSED` (503) for what it will refuse until an operator
 * has changed something there or here.
 */
export async function callStripe<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof Stripe.errors.StripeConnectionError || isTransient(error))
      throw unavailable('PAYMENT_PROVIDER_UNAVAILABLE', error)
    if (isRefusedForGood(error)) throw new ApiError('PAYMENT_PROVIDER_REFUSED', { cause: error as Error })
    if (error instanceof Stripe.errors.StripeError)
      throw new ApiError('PAYMENT_PROVIDER_FAILED', { cause: error, headers: { 'Retry-After': '5' } })
    throw error
  }
}

/**
 * Not processed: rate-limited, or another request with the same key is in progress. The provider records
 * neither under the key.
 */
function isTransient(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && (error.statusCode === 409 || error.statusCode === 429)
}

/** An archived price, a key without a permission, a portal that is switched off: not a customer whose deletion we learn of next. */
function isRefusedForGood(error: unknown): boolean {
  if (error instanceof Stripe.errors.StripeInvalidRequestError)
    return !(error.code === 'resource_missing' && error.param === 'customer')
  const { StripeAuthenticationError, StripePermissionError } = Stripe.errors
  return error instanceof StripeAuthenticationError || error instanceof StripePermissionError
}

/** Whether an error of `callStripe` is an answer: the provider has not done what it was asked. */
export function isAnswered(error: unknown): boolean {
  const { code } = error as ApiError
  return code === 'PAYMENT_PROVIDER_FAILED' || code === 'PAYMENT_PROVIDER_REFUSED'
}

/** Like {@link callStripe}, but null for what the provider does not know. */
export async function callStripeOrNull<T>(request: () => Promise<T>): Promise<T | null> {
  return callStripe(async () => {
    try {
      return await request()
    } catch (error) {
      if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing')
        return null
      throw error
    }
  })
}

/** What a secret key gives access to: an account of the provider, in test or live mode. */
export interface ProviderIdentity {
  /** Null when the key may not read it. */
  readonly providerAccount: string | null
  readonly isLive: boolean
}

/** Our secret key. It gives no access to customers of another key. */
@Injectable()
export class ProviderKey {
  readonly isLive: boolean
  private identity: ProviderIdentity | null = null

  constructor(
    private readonly stripe: Stripe,
    settings: Settings,
  ) {
    this.isLive = isLiveKey(stripeSettingsOf(settings).secretKey)
  }

  /** What the key gives access to, once the provider has told us; null before. */
  get known(): ProviderIdentity | null {
    return this.identity
  }

  /** Asks the provider unless it has answered already. Throws like `callStripe`. */
  async identify(): Promise<ProviderIdentity> {
    this.identity ??= { providerAccount: await this.account(), isLive: this.isLive }
    return this.identity
  }

  /** Selects the customers that certainly belong to another key. */
  isOfAnother(): SQL | undefined {
    const { providerAccount, isLive } = billingCustomers
    const isOfOtherMode = eq(isLive, !this.isLive)
    const account = this.identity?.providerAccount
    const isOfOtherAccount = account ? ne(providerAccount, account) : undefined
    return and(isNotNull(billingCustomers.customerId), or(isOfOtherMode, isOfOtherAccount))
  }

  /** A restricted key need not have permission to read its account. */
  private async account(): Promise<string | null> {
    const found = await callStripe(async () => {
      try {
        return await this.stripe.accounts.retrieveCurrent()
      } catch (error) {
        if (error instanceof Stripe.errors.StripePermissionError) return null
        throw error
      }
    })
    return found?.id ?? null
  }
}

/** Whether a secret key is of live mode, where money is real. */
export function isLiveKey(secretKey: string): boolean {
  return /^(sk|rk)_live_/.test(secretKey)
}

/** For operators. */
export function describeIdentity({ providerAccount, isLive }: ProviderIdentity): string {
  return `${providerAccount ?? 'an account that is not known'}, ${isLive ? 'live mode' : 'test mode'}`
}

/** A hanging provider must not fill the process with waiting requests; logins must go on. */
const MAX_AT_ONCE = 50
/** How long a person waits for the provider, however many requests their click needs. */
const PATIENCE_MS = 10_000

/**
 * Bounds the requests to us that wait for the payment provider. The billing worker, which nobody waits for, has a
 * few of its own.
 */
@Injectable()
export class ProviderBulkhead {
  private underWay = 0

  /**
   * Runs `work`; throws `TOO_BUSY` (503) when too much is in progress, and `PAYMENT_PROVIDER_UNAVAILABLE` (503)
   * after `patienceMs`. The work continues, and the next request finds its result.
   */
  async run<T>(work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
    if (this.underWay >= MAX_AT_ONCE) throw unavailable('TOO_BUSY')
    this.underWay++
    const done = work().finally(() => this.underWay--)
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unavailable('PAYMENT_PROVIDER_UNAVAILABLE')), patienceMs)
    })
    return Promise.race([done, tooLate]).finally(() => clearTimeout(timer))
  }
}

/** Ids of the provider's objects, which differ from one customer to the next; those of prices are chosen by operators. */
const IDS = /\b(?!price_)[a-z]+_[A-Za-z0-9]{8,}/g

/** What the provider refuses until an operator has changed something. Operators are told, because nobody else can help. */
@Injectable()
export class ProviderRefusals {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly hourlyLog: HourlyLog,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Logs an error of `callStripe` that says so, once an hour for each message, and records it for `billing:status`. Does
   * nothing about any other.
   */
  report(error: unknown): void {
    const { code } = error as ApiError
    if (code !== 'PAYMENT_PROVIDER_REFUSED' && code !== 'PLAN_UNAVAILABLE') return
    const reason = causeMessage(error)
    this.hourlyLog.report(`refusal ${reason.replaceAll(IDS, '…')}`, 1, times => {
      const often = times === 1 ? '' : ` (${times} times)`
      this.logger.error(`The payment provider refuses what a user needs${often}: ${reason}`)
      this.auditLog.enqueue(auditEvent({ client: null }, 'billing.refuse', { reason }), 'failed')
    })
  }
}

/** How long the provider is not asked again for what it has refused: by then an operator may have mended it. */
const REFUSED_FOR_SECONDS = 60
const MAX_REFUSALS = 10_000

interface Refusal {
  readonly error: ApiError
  readonly until: Date
}

/** Limits what users make the payment provider do: its rate limit is shared by all our customers. */
@Injectable()
export class PaymentRequests {
  private readonly refused = new LRUCache<string, Refusal>({ max: MAX_REFUSALS })

  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly bulkhead: ProviderBulkhead,
    private readonly refusals: ProviderRefusals,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work`. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) when this user, or the whole account, has
   * asked too often within the hour, and like {@link ProviderBulkhead.run}. Those who may not pay are counted
   * apart, so that they cannot keep the others from paying.
   */
  async run<T>(actor: SessionActor, work: () => Promise<T>, patienceMs?: number): Promise<T> {
    const { userId, accountId, client, permissions } = actor
    await this.rateLimiter.count({
      kind: permissions.payments ? 'payment request' : 'payment status',
      subject: userId,
      client,
      actor: { userId, accountId },
    })
    return this.bulkhead.run(work, patienceMs)
  }

  /**
   * The same for a click on `what`, such as a price. What the provider has refused until an operator acts is refused for
   * a minute without asking it again, and reported.
   */
  async click<T>(actor: SessionActor, what: string, work: () => Promise<T>): Promise<T> {
    const key = `${actor.accountId} ${what}`
    const refused = this.refused.get(key)
    if (refused && this.clock.now() < refused.until) throw refused.error
    try {
      return await this.run(actor, work)
    } catch (error) {
      this.refusals.report(error)
      if (isRefused(error)) {
        const until = secondsAfter(this.clock.now(), REFUSED_FOR_SECONDS)
        this.refused.set(key, { error, until })
      }
      throw error
    }
  }
}

/** Not where we refuse without asking. */
function isRefused(error: unknown): error is ApiError {
  const { code, cause } = error as ApiError
  return (
    (code === 'PAYMENT_PROVIDER_REFUSED' || code === 'PLAN_UNAVAILABLE') &&
    cause instanceof Stripe.errors.StripeError
  )
}

/** Which prices are billed by usage. The provider refuses a quantity for those, and there is no other way to know them. */
@Injectable()
export class MeteredPrices {
  /** A price never changes this, so that each is asked for once. */
  private readonly known = new Map<string, boolean>()

  constructor(private readonly stripe: Stripe) {}

  /** `{ quantity }`, or nothing for a price that is billed by usage. Throws like `callStripe`. */
  async quantityOf(priceId: string, quantity: number): Promise<{ quantity?: number }> {
    return (await this.isMetered(priceId)) ? {} : { quantity }
  }

  private async isMetered(priceId: string): Promise<boolean> {
    const known = this.known.get(priceId)
    if (known !== undefined) return known
    const price = await callStripeOrNull(() => this.stripe.prices.retrieve(priceId))
    // The sale itself is then refused, and says why.
    if (!price) return false
    const isMetered = isBilledByUsage(price)
    this.known.set(priceId, isMetered)
    return isMetered
  }
}

export function isBilledByUsage({ recurring }: Stripe.Price): boolean {
  return recurring?.usage_type === 'metered'
}

const ITEMS_A_PAGE = 100
/** More than the provider allows in a subscription. */
const MAX_ITEMS = 1_000

/**
 * The subscription with all its items: the provider's answer has ten at most, and our plan may be behind them. Null where
 * it is gone meanwhile. Asks only where there are more; throws like `callStripe`.
 */
export async function withAllItems(
  stripe: Stripe,
  found: Stripe.Subscription,
): Promise<Stripe.Subscription | null> {
  if (!found.items.has_more) return found
  const data = await callStripeOrNull(() =>
    stripe.subscriptionItems
      .list({ subscription: found.id, limit: ITEMS_A_PAGE })
      .autoPagingToArray({ limit: MAX_ITEMS }),
  )
  return data && { ...found, items: { ...found.items, data, has_more: false } }
}

const FAILED: FirstPayment = { state: 'failed', confirmUrl: null }
const PROCESSING: FirstPayment = { state: 'processing', confirmUrl: null }

/**
 * How the first payment of an incomplete subscription stands, with the page to confirm it where the bank asks for that.
 * A single request; throws like `callStripe`.
 */
export async function firstPaymentOf(
  stripe: Stripe,
  { latest_invoice: latest }: Stripe.Subscription,
): Promise<FirstPayment> {
  const invoice = typeof latest === 'string' ? latest : latest?.id
  // Nothing is left that could be paid.
  if (!invoice) return FAILED
  const expand = ['data.payment.payment_intent', 'data.invoice']
  const { data } = await callStripe(() => stripe.invoicePayments.list({ invoice, expand }))
  const payment = data.find(({ is_default }) => is_default) ?? data[0]
  const intent = payment?.payment.payment_intent
  if (!intent || typeof intent !== 'object') return PROCESSING
  if (intent.status === 'requires_payment_method' || intent.status === 'canceled') return FAILED
  if (intent.status !== 'requires_action' && intent.status !== 'requires_confirmation') return PROCESSING
  // A bank account is confirmed by the amounts of small deposits, on a page of its own.
  const deposits = intent.next_action?.verify_with_microdeposits?.hosted_verification_url
  const page = typeof payment?.invoice === 'object' ? (payment.invoice as Stripe.Invoice) : null
  return { state: 'unconfirmed', confirmUrl: deposits ?? page?.hosted_invoice_url ?? null }
}
