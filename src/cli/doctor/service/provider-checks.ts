import type Stripe from 'stripe'
import { isSold } from '../../../billing/catalog/plan-catalog.js'
import { callStripe, callStripeOrNull, createStripe } from '../../../billing/provider/payment-provider.js'
import type { Settings } from '../../../platform/config/settings.js'
import { type ApiError, causeMessage } from '../../../platform/errors/api-error.js'
import type { Clock } from '../../../platform/time.js'
import { type Check, type Finding, fault, ok, skipped } from '../finding.js'
import { notStarted } from '../no-answer.js'
import { checkPortal } from './portal-check.js'
import { checkDeliveries, checkEndpoints } from './webhook-check.js'

/** Everything at the payment provider that somebody has set by hand. */
export function providerChecks(settings: Settings, clock: Clock): Check[] {
  const stripe = createStripe(settings.stripe)
  const at = (name: string, run: () => Promise<Finding[]>): Check => ({
    name,
    todo: 'Look at STRIPE_SECRET_KEY, and whether the payment provider works',
    run: () => unlessNotStarted(name, settings, unlessForbidden(name, run)),
  })
  return [
    at('payments.prices', () => unlessUnreadable(checkPrices(stripe, settings))),
    at('payments.webhook', () => checkEndpoints(stripe, settings)),
    at('payments.deliveries', () => checkDeliveries(stripe, settings, clock)),
    at('payments.portal', () => checkPortal(stripe, settings)),
  ]
}

async function unlessNotStarted(
  name: string,
  settings: Settings,
  found: Promise<Finding[]>,
): Promise<Finding[]> {
  const { apiUrl } = settings.stripe
  try {
    return await found
  } catch (error) {
    const finding = apiUrl && notStarted(name, settings, apiUrl, error)
    if (!finding) throw error
    return [finding]
  }
}

/** What the service reads itself: without the right to, nobody can buy anything. */
async function unlessUnreadable(found: Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await found
  } catch (error) {
    if (!isPermissionError((error as ApiError).cause)) throw error
    const saw = 'STRIPE_SECRET_KEY may not read prices and products'
    return [fault('payments.prices', saw, 'Give the key read access to both')]
  }
}

/** A restricted key need not have the right to read all this. */
async function unlessForbidden(name: string, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await callStripe(run)
  } catch (error) {
    const cause = (error as ApiError).cause ?? error
    if (isPermissionError(cause))
      return [skipped(name, 'STRIPE_SECRET_KEY may not read this; look in the dashboard')]
    throw new Error(`The payment provider: ${causeMessage(cause)}`, { cause })
  }
}

function isPermissionError(error: unknown): boolean {
  return (error as Stripe.errors.StripeError | undefined)?.type === 'StripePermissionError'
}

async function checkPrices(stripe: Stripe, { stripe: { priceIds } }: Settings): Promise<Finding[]> {
  const check = 'payments.prices'
  const prices = await Promise.all(
    priceIds.map(async id => ({
      id,
      price: await callStripeOrNull(() => stripe.prices.retrieve(id, { expand: ['product'] })),
    })),
  )
  const gone = prices.filter(({ price }) => !price || !isSold(price)).map(({ id }) => id)
  if (gone.length === 0) return [ok(check, `${priceIds.length} prices are on sale`)]
  return [
    fault(
      check,
      `The provider does not sell ${gone.join(', ')}`,
      'Correct STRIPE_PRICE_IDS, or make the prices and their products active',
    ),
  ]
}
