import { monthsAfter } from '../state/clock.js'
import type { Price } from './prices.js'

/**
 * The end of a period of the price that starts at `start`, or of that many periods, in seconds since 1970.
 */
export function nextPeriodEnd(price: Price, start: number, periods = 1): number {
  return monthsAfter(start, periods * monthsOf(price))
}

/** The length of the price's period, in months. */
export function monthsOf({ recurring }: Price): number {
  return (recurring?.interval === 'year' ? 12 : 1) * (recurring?.interval_count ?? 1)
}
