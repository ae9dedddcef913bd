import { Injectable } from '@nestjs/common'
import { and, eq, isNotNull, ne, or, type SQL } from 'drizzle-orm'
import Stripe from 'stripe'
import { Settings } from '../config/settings.js'
import { billingCustomers } from '../database/schema.js'
import { ask } from './payment-provider.js'

/** What a secret key opens: an account of the provider, and its test mode or the one with real money. */
export interface ProviderIdentity {
  /** Null when the key may not read it. */
  readonly providerAccount: string | null
  readonly isLive: boolean
}

/** Our secret key. Customers of another one are unknown with it. */
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

  /** What the key opens, once the provider has told; null before. */
  get known(): ProviderIdentity | null {
    return this.identity
  }

  /** Asks the provider unless it has told already. Throws as `ask` does. */
  async identify(): Promise<ProviderIdentity> {
    this.identity ??= { providerAccount: await this.account(), isLive: this.isLive }
    return this.identity
  }

  /** Selects the customers that are certainly of another key. */
  isOfAnother(): SQL | undefined {
    const { providerAccount, isLive } = billingCustomers
    const isOfOtherMode = eq(isLive, !this.isLive)
    const account = this.identity?.providerAccount
    const isOfOtherAccount = account ? ne(providerAccount, account) : undefined
    return and(isNotNull(billingCustomers.customerId), or(isOfOtherMode, isOfOtherAccount))
  }

  /** A restricted key need not have the right to read its account. */
  private async account(): Promise<string | null> {
    const found = await ask(async () => {
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

/** As operators read it. */
export function inWords({ providerAccount, isLive }: ProviderIdentity): string {
  return `${providerAccount ?? 'an account that is not known'}, ${isLive ? 'live mode' : 'test mode'}`
}
