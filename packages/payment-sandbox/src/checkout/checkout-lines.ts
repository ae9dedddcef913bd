import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { integer, nested, nestedList, requiredText } from '../http/form-fields.js'
import { oneTimePrice, type Price, type Prices, requireNoQuantity } from '../prices/prices.js'
import type { CheckoutLine, CheckoutMode } from './checkout.js'

/**
 * What is bought: configured prices in a subscription, `price_data` in a payment (all configured prices are
 * recurring), nothing in a setup. Throws 400 for anything else and for a quantity of 0.
 */
export function checkoutLines(params: Form, mode: CheckoutMode, prices: Prices): CheckoutLine[] {
  const given = nestedList(params, 'line_items')
  if (mode === 'setup' && given.length > 0) throw linesNotAllowed()
  if (mode !== 'setup' && given.length === 0)
    throw ApiError.badParameter('parameter_missing', 'line_items', 'Missing required param: line_items.')
  return given.map((line, index) => {
    const param = `line_items[${index}]`
    const price = mode === 'payment' ? inlinePrice(line, param) : knownPrice(line, `${param}[price]`, prices)
    requireNoQuantity(integer(line, 'quantity'), price, param)
    return price.recurring?.usage_type === 'metered'
      ? { price }
      : { price, quantity: quantityOf(line, param) }
  })
}

function knownPrice(line: Form, param: string, prices: Prices): Price {
  return prices.sold(requiredText(line, 'price', param), param)
}

function inlinePrice(line: Form, param: string): Price {
  const data = nested(line, 'price_data')
  requiredText(data, 'unit_amount', `${param}[price_data][unit_amount]`)
  return oneTimePrice(integer(data, 'unit_amount')!)
}

function quantityOf(line: Form, param: string): number {
  const quantity = integer(line, 'quantity') ?? 1
  if (quantity > 0) return quantity
  const message = 'This value must be greater than or equal to 1.'
  throw ApiError.badParameter('parameter_invalid_integer', `${param}[quantity]`, message)
}

function linesNotAllowed(): ApiError {
  const message = 'You can not pass `line_items` in `setup` mode.'
  return ApiError.badParameter('parameter_invalid', 'line_items', message)
}
