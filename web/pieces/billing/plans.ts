import type { PlanAnswer as OfferedPlan } from '@mainstay-auth/client/api'
import { i18n, locale, t } from '../language/t.js'
import { mayChange, type Subscription } from './subscription.js'

export type { OfferedPlan }

/**
 * The payment provider counts these in whole units and in thousandths, all others in hundredths, also where a
 * browser shows no digits (HUF, IDR) or there is nothing smaller (ISK, UGX): https://docs.stripe.com/currencies.
 */
const IN_UNITS = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'
const IN_THOUSANDTHS = 'bhd jod kwd omr tnd'

/** The name of a plan in the page's language. */
export function planText({ name, names }: Pick<OfferedPlan, 'name' | 'names'>): string {
  return names?.[i18n.locale] ?? name
}

/** “$20.00 a month for each seat”; null when the amount is not known in advance. */
export function priceText(plan: OfferedPlan): string | null {
  const { amount, currency, seats } = plan
  if (amount === null) return null
  const values = { amount: money(amount, currency), period: periodText(plan) }
  return seats ? t('plan.pricePerSeat', values) : t('plan.price', values)
}

/** What another person in the team costs, and how many there may be; empty where neither is so. */
export function seatWords(subscription: Subscription, plans: readonly OfferedPlan[]): string[] {
  const plan = plans.find(({ priceId, seats }) => seats && priceId === subscription.plan)
  const price = plan && mayChange(subscription) ? priceText(plan) : null
  const most = subscription.limits.seats
  return [
    ...(price === null ? [] : [t('team.seatPrice', { price })]),
    ...(most === null ? [] : [t('team.mostPeople', { count: most })]),
  ]
}

/** “a month”, “every 3 months”. */
export function periodText({ interval, intervalCount }: OfferedPlan): string {
  return t(`plan.period.${interval}`, { count: intervalCount })
}

/** An amount in the unit that the provider counts the currency in, formatted for the reader's country. */
export function money(amount: number, currency: string): string {
  const digits = IN_UNITS.includes(currency) ? 0 : IN_THOUSANDTHS.includes(currency) ? 3 : 2
  return new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: currency.toUpperCase(),
    maximumFractionDigits: digits,
  }).format(amount / 10 ** digits)
}
