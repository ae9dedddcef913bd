import { monthsAfter } from '../state/clock.js'
import type { Price } from './prices.js'

/** When a period of the price that begins at `start` ends; `periods` of them when given. */
export function nextPeriodEnd(price: Price, start: number, periods = 1): number {
  return monthsAfter(start, periods * monthsOf(price))
}

/** Which prices are charged by the same period. */
export function monthsOf({ recurring }: Price): number {
  return (recurring?.interval === 'year' ? 12 : 1) * (recurring?.interval_count ?? 1)
}
