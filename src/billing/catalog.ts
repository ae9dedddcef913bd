import { Injectable } from '@nestjs/common'
import { LRUCache } from 'lru-cache'
import Stripe from 'stripe'
import { Settings } from '../platform/config/settings.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { type PlanName, PlansFile, type PlanText } from '../platform/plans.js'
import { type OfferedPlan, PlanCache } from './caches.js'
import {
  callStripe,
  callStripeOrNull,
  isBilledByUsage,
  ProviderBulkhead,
  ProviderRefusals,
  stripeSettingsOf,
} from './stripe.js'

/** The language follows, in the keys of a product's metadata. */
const NAME_KEY = 'name_'
const FEATURES_KEY = 'features_'
/** Separates features in metadata, which has one line for each key. */
const BETWEEN_FEATURES = '|'

/** How long a page waits for the provider. */
const PATIENCE_MS = 3_000

/**
 * What is on sale. Serves the last good copy while the provider does not answer; never makes up an amount.
 */
@Injectable()
export class PlanCatalog {
  private readonly logger = new Logger('Billing')
  private reading: Promise<readonly OfferedPlan[]> | null = null

  constructor(
    private readonly stripe: Stripe,
    private readonly settings: Settings,
    private readonly plans: PlansFile,
    private readonly cache: PlanCache,
    private readonly bulkhead: ProviderBulkhead,
    private readonly refusals: ProviderRefusals,
  ) {}

  /** In the order of STRIPE_PRICE_IDS. Throws like `callStripe` when there is no copy yet. */
  async list(): Promise<readonly OfferedPlan[]> {
    const copy = await this.cache.get()
    if (copy?.isFresh) return copy.plans
    this.reading ??= this.read().finally(() => {
      this.reading = null
    })
    try {
      return await this.reading
    } catch (error) {
      this.refusals.report(error)
      if (!copy) throw error
      this.logger.warn(`Serving an older copy of the prices: ${causeMessage(error)}`)
      await this.cache.prolong(copy.plans)
      return copy.plans
    }
  }

  /** What a price is called, without asking the provider; null while it is not known. */
  async knownName(priceId: string | null): Promise<PlanName | null> {
    if (priceId === null) return null
    const inFile = this.plans.of(priceId)
    if (inFile) return inFile
    const copy = await this.cache.get()
    return copy?.plans.find(plan => plan.priceId === priceId) ?? null
  }

  private async read(): Promise<readonly OfferedPlan[]> {
    const { priceIds } = stripeSettingsOf(this.settings)
    const prices = await this.bulkhead.run(() => this.prices(priceIds), PATIENCE_MS)
    const plans = prices.flatMap(price => this.offered(price))
    await this.cache.put(plans)
    return plans
  }

  /** When one fails, this still waits for the others: the provider is left alone afterwards. */
  private async prices(ids: readonly string[]): Promise<(Stripe.Price | null)[]> {
    const prices = ids.map(id => this.price(id))
    await Promise.allSettled(prices)
    return Promise.all(prices)
  }

  private async price(id: string): Promise<Stripe.Price | null> {
    const price = await callStripeOrNull(() => this.stripe.prices.retrieve(id, { expand: ['product'] }))
    if (!price) this.logger.error(`The provider does not know ${id} of STRIPE_PRICE_IDS: it cannot be bought`)
    return price
  }

  /** Empty for what cannot be bought at the provider. */
  private offered(price: Stripe.Price | null): OfferedPlan[] {
    if (!price?.recurring || !isSold(price)) return []
    const { id: priceId, unit_amount: amount, currency, recurring } = price
    const plan = this.plans.of(priceId)
    return [
      {
        priceId,
        ...textOf(plan, price),
        // What a unit costs is not what a period costs.
        amount: isBilledByUsage(price) ? null : amount,
        currency,
        interval: recurring.interval as OfferedPlan['interval'],
        intervalCount: recurring.interval_count,
        seats: plan?.seats ?? false,
      },
    ]
  }
}

/** The prices of an archived product stay active, but the provider refuses to sell them. */
export function isSold({ active, product }: Stripe.Price): boolean {
  return active && (typeof product === 'string' || (!product.deleted && product.active))
}

/** The plans file takes precedence, and then only its own translations count. */
function textOf(plan: PlanText | null, { product, nickname }: Stripe.Price): PlanText {
  if (plan) {
    const { name, names, features, translatedFeatures } = plan
    return { name, names, features, translatedFeatures }
  }
  if (typeof product === 'object' && !product.deleted) return textOfProduct(product)
  return { name: nickname ?? 'Subscription', names: {}, features: [], translatedFeatures: {} }
}

/** `name_de` in its metadata is its name in German, `features_de` its features, separated by bars. */
function textOfProduct({ name, metadata, marketing_features: features }: Stripe.Product): PlanText {
  return {
    name,
    names: Object.fromEntries(translationsIn(metadata, NAME_KEY)),
    features: (features ?? []).flatMap(feature => feature.name || []),
    translatedFeatures: Object.fromEntries(
      translationsIn(metadata, FEATURES_KEY)
        .map(([tag, text]) => [tag, featuresIn(text)] as const)
        .filter(([, texts]) => texts.length > 0),
    ),
  }
}

/** By language. */
function translationsIn(metadata: Stripe.Metadata, prefix: string): [tag: string, text: string][] {
  const texts = Object.entries(metadata).filter(([key, text]) => key.startsWith(prefix) && text !== '')
  return texts.map(([key, text]) => [key.slice(prefix.length), text])
}

function featuresIn(text: string): string[] {
  return text.split(BETWEEN_FEATURES).flatMap(feature => feature.trim() || [])
}

const DETAILS = ['currency_options', 'product']
/** A customer who ends a subscription may have to wait this long to buy in another currency. */
const CURRENCY_TTL_MS = 60_000
const MAX_REFUSED_SALES = 2_000

/** A customer and a price, by the provider's ids. */
interface Sale {
  readonly customer: string
  readonly price: string
}

/** Why the provider refuses to sell a price: it has no code for what follows, and several wordings, so this asks it. */
@Injectable()
export class PriceRefusals {
  /** What it has just refused because of the currency: the next clicks need not ask it three times again. */
  private readonly fixed = new LRUCache<string, true>({ max: MAX_REFUSED_SALES, ttl: CURRENCY_TTL_MS })

  constructor(
    private readonly stripe: Stripe,
    private readonly plans: PlanCache,
  ) {}

  /** Throws `CURRENCY_FIXED` (409) for what was refused so within the last minute. */
  requireNotFixed(sale: Sale): void {
    if (this.fixed.has(keyOf(sale))) throw new ApiError('CURRENCY_FIXED')
  }

  /** What the customer's currency was fixed by has ended. */
  forget(sale: Sale): void {
    this.fixed.delete(keyOf(sale))
  }

  /**
   * What to throw for an error of `callStripe` about a price. `PLAN_UNAVAILABLE` (409) for one that is no longer on sale:
   * it is not shown any longer. `CURRENCY_FIXED` (409) if the customer pays in another currency; not before, because the
   * provider remembers a customer's currency even when nothing fixes it any more. Returns `error` unchanged in all other
   * cases, and if the provider does not answer.
   */
  async explain(error: unknown, sale: Sale): Promise<unknown> {
    const { code, cause } = error as ApiError
    const isRefused = code === 'PAYMENT_PROVIDER_REFUSED'
    if (!isRefused || !(cause instanceof Stripe.errors.StripeInvalidRequestError)) return error
    const { customer, price } = sale
    try {
      const found = await callStripeOrNull(() => this.stripe.prices.retrieve(price, { expand: DETAILS }))
      if (!found || !isSold(found)) {
        await this.plans.expire()
        return new ApiError('PLAN_UNAVAILABLE', { cause })
      }
      const currency = await callStripe(() => currencyOf(this.stripe, customer))
      const isFixed = currency !== null && !currenciesOf(found).has(currency)
      if (!isFixed) return error
      this.fixed.set(keyOf(sale), true)
      return new ApiError('CURRENCY_FIXED', { cause })
    } catch {
      return error
    }
  }
}

function keyOf({ customer, price }: Sale): string {
  return `${customer} ${price}`
}

/** Null for a customer who has bought nothing yet, or is gone. */
async function currencyOf(stripe: Stripe, customer: string): Promise<string | null> {
  const found = await stripe.customers.retrieve(customer)
  return found.deleted ? null : (found.currency ?? null)
}

/** A price may have several. */
function currenciesOf({ currency, currency_options: options }: Stripe.Price): ReadonlySet<string> {
  return new Set([currency, ...Object.keys(options ?? {})])
}
