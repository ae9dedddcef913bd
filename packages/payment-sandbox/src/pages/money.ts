/** An amount in cents, formatted as in $10.00. */
export function money(cents: number, currency = 'usd', locale = 'en-US'): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(cents / 100)
}
