import { Injectable } from '@nestjs/common'
import { and, eq, isNotNull, ne, or, type SQL } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings, type StripeSettings } from '../../platform/config/settings.js'
import { billingCustomers } from '../../platform/database/schema/billing.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import { Tracing } from '../../platform/tracing.js'

/** At most three tries of 3 s with short pauses, so that one of our requests fails after 10 s. */
const TRY_TIMEOUT_MS = 3_000
const MAX_RETRIES = 2

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
      host: apiUrl.hostname,
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
    this.isLive = isLiveKey(settings.stripe.secretKey)
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
