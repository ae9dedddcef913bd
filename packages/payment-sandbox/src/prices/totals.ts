// Round numbers, so that their effect is easy to see.
const TAX_PERCENT = 20
const DISCOUNT_PERCENT = 10

/** The one promotion code that there is: a tenth off every invoice. */
export const PROMOTION_CODE = 'SANDBOX10'

/** In cents: what an amount comes to with the discount of the promotion code, and then the tax, where there are any. */
export function totalsOf(
  subtotal: number,
  { isDiscounted, isTaxed }: { isDiscounted: boolean; isTaxed: boolean },
): { discount: number; tax: number; total: number } {
  const discount = isDiscounted ? Math.round((subtotal * DISCOUNT_PERCENT) / 100) : 0
  const tax = isTaxed ? Math.round(((subtotal - discount) * TAX_PERCENT) / 100) : 0
  return { discount, tax, total: subtotal - discount + tax }
}
