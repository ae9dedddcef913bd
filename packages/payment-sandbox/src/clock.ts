import { randomInt } from 'node:crypto'

/**
 * Whole seconds since 1970, as Stripe counts time. The real provider is another machine with its own clock.
 */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/**
 * The same day and time of day, in UTC, `months` after `seconds`. A day that the month does not have becomes
 * its last day, as in https://docs.stripe.com/billing/subscriptions/billing-cycle.
 */
export function monthsAfter(seconds: number, months: number): number {
  const from = new Date(seconds * 1000)
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0))
  const day = Math.min(from.getUTCDate(), lastDay.getUTCDate())
  const midnight = Date.UTC(lastDay.getUTCFullYear(), lastDay.getUTCMonth(), day)
  return Math.floor(midnight / 1000) + (seconds % 86_400)
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random id such as `cus_4fT…`: the prefix, then `length` letters and digits. */
export function newId(prefix: string, length: number): string {
  return prefix + Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
