import { Injectable } from '@nestjs/common'
import { and, eq, isNotNull, ne, or, type SQL } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings } from '../../config/settings.js'
import { billingCustomers } from '../../database/schema.js'
import { callStripe } from './payment-provider.js'

/** What a secret key gives access to: an account of the provider, in test or live mode. */
export interface ProviderIdentity {
  /** Null when the key may not read it. */
  readonly providerAccount: string | null
  readonly isLive: boolean
}

/** Our secret key. It does not know customers of another one. */
@Injectable()
export class ProviderKey {
  readonly isLive: boolean
  private identity: ProviderIdentity | null = null

  constructor(
    private readonly stripe: Stripe,
    settings: Settings,
  ) {
    this.isLive = /^(sk|rk)_live_/.test(settings.stripe.secretKey)
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

/** In words for operators. */
export function inWords({ providerAccount, isLive }: ProviderIdentity): string {
  return `${providerAccount ?? 'an account that is not known'}, ${isLive ? 'live mode' : 'test mode'}`
}
