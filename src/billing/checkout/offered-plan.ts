/** A price that can be bought, as the provider has it. */
export interface OfferedPlan {
  readonly priceId: string
  readonly name: string
  /**
   * For one period, or for one seat of it, in the currency's smallest unit; null where the provider charges
   * by tiers.
   */
  readonly amount: number | null
  /** ISO 4217, lower case. */
  readonly currency: string
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly intervalCount: number
  /** Whether each active user is billed. */
  readonly seats: boolean
}
