import type { PlanAnswer as OfferedPlan } from '@mainstay-auth/client/api'
import { i18n, locale, t } from '../language/t.js'

export type { OfferedPlan }

/** The payment provider nevertheless counts these in hundredths: https://docs.stripe.com/currencies#special-cases. */
const IN_HUNDREDTHS = ['isk', 'ugx']

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

/** “a month”, “every 3 months”. */
export function periodText({ interval, intervalCount }: OfferedPlan): string {
  return t(`plan.${interval}`, { count: intervalCount })
}

/** An amount in the currency's smallest unit, formatted for the reader's country. */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency: currency.toUpperCase() })
  const digits = IN_HUNDREDTHS.includes(currency) ? 2 : (format.resolvedOptions().maximumFractionDigits ?? 2)
  return format.format(amount / 10 ** digits)
}
