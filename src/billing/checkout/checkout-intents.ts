import { Injectable } from '@nestjs/common'
import { Settings } from '../../config/settings.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { CreateSubscriptionBody } from '../billing.dto.js'
import { BillingCustomers } from '../provider/billing-customers.js'
import { Seats } from '../subscription/seats.js'
import { isSafeReturnUrl } from './return-url.js'

/** What is bought, and where the browser goes afterwards. */
export interface CheckoutIntent {
  readonly priceId: string
  /** Number of seats; 1 where the plan has none. */
  readonly quantity: number
  readonly returnUrl: string
  /** Days that are free at first; 0 means it is paid at once. */
  readonly trialDays: number
}

/** Works out what a request to subscribe is about. */
@Injectable()
export class CheckoutIntents {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly seats: Seats,
    private readonly customers: BillingCustomers,
  ) {}

  /** Throws `UNKNOWN_PRICE` and `INVALID_RETURN_URL` (400). */
  async of(accountId: string, body: CreateSubscriptionBody): Promise<CheckoutIntent> {
    const { priceIds } = this.settings.stripe
    const { priceId = priceIds[0] as string } = body
    if (!priceIds.includes(priceId)) throw new ApiError('UNKNOWN_PRICE')
    const returnUrl = this.returnUrl(body.return)
    const quantity = await this.database.run(db => this.seats.quantityFor(db, accountId, priceId))
    const trialDays = await this.customers.trialDaysFor(accountId)
    return { priceId, quantity, returnUrl, trialDays }
  }

  /** The main site's front page when none was requested. Throws `INVALID_RETURN_URL` (400). */
  returnUrl(requested = `${this.settings.mainOrigin}/`): string {
    if (!isSafeReturnUrl(requested, this.settings)) throw new ApiError('INVALID_RETURN_URL')
    return requested
  }
}
