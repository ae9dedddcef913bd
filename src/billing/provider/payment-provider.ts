import Stripe from 'stripe'
import type { StripeSettings } from '../../config/settings.js'
import { ApiError, unavailable } from '../../errors/api-error.js'

/** At most three tries of 3 s with short pauses, so that one of our requests fails after 10 s. */
const TRY_TIMEOUT_MS = 3_000
const MAX_RETRIES = 2

/** The payment provider; with STRIPE_API_URL a server that speaks its protocol. */
export function createStripe({ secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>): Stripe {
  return new Stripe(secretKey, {
    timeout: TRY_TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    ...(apiUrl && {
      protocol: apiUrl.protocol === 'https:' ? 'https' : 'http',
      host: apiUrl.hostname,
      port: apiUrl.port,
    }),
  })
}

/**
 * Asks the provider. Throws `PAYMENT_PROVIDER_UNAVAILABLE` (503) when it is out of reach,
 * `PAYMENT_PROVIDER_FAILED` (502) when it refuses or fails; both can be retried.
 */
export async function callStripe<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof Stripe.errors.StripeConnectionError || isTransient(error))
      throw unavailable('PAYMENT_PROVIDER_UNAVAILABLE', error)
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
