import type { Stripe } from 'stripe'
import { billedQuantity } from '../prices/prices.js'
import { newId } from '../state/ids.js'
import type { Subscription, SubscriptionItem } from '../subscriptions/subscription.js'

type ItemDetails = Stripe.InvoiceLineItem.Parent.SubscriptionItemDetails

/** Stripe's line as it is in JSON, where decimals are strings; the `stripe` package converts them. */
export type InvoiceLine = Omit<Stripe.InvoiceLineItem, 'pricing' | 'quantity_decimal'> & {
  quantity_decimal: string | null
  pricing: {
    type: 'price_details'
    price_details: { price: string; product: string }
    unit_amount_decimal: string
  }
}

const PERIODS: Record<string, string> = { month: 'Monthly', year: 'Yearly' }

/** One period of an item; free in a trial. */
export function periodLine(item: SubscriptionItem, subscription: Subscription, invoice: string): InvoiceLine {
  const quantity = billedQuantity(item.price, item.quantity)
  const unit = subscription.status === 'trialing' ? 0 : (item.price.unit_amount ?? 0)
  const description =
    unit === 0 ? 'Trial period' : `${quantity} × ${PERIODS[item.price.recurring!.interval]} subscription`
  return newLine(item, invoice, { amount: unit * quantity, unit, quantity, description, proration: false })
}

/** The cost, or the credit, of a change in the middle of a period. */
export function prorationLine(item: SubscriptionItem, invoice: string, amount: number): InvoiceLine {
  const description = amount < 0 ? 'Unused time' : 'Remaining time'
  return newLine(item, invoice, { amount, unit: amount, quantity: 1, description, proration: true })
}

interface LineTerms {
  /** In cents; so is `unit`. */
  amount: number
  unit: number
  quantity: number
  description: string
  proration: boolean
}

function newLine(item: SubscriptionItem, invoice: string, terms: LineTerms): InvoiceLine {
  const { amount, unit, quantity, description, proration } = terms
  const details: ItemDetails = {
    invoice_item: null,
    proration,
    proration_details: null,
    subscription: item.subscription,
    subscription_item: item.id,
  }
  return {
    id: newId('il_1', 23),
    object: 'line_item',
    amount,
    currency: item.price.currency,
    description,
    discount_amounts: [],
    discountable: !proration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: details,
    },
    period: { start: item.current_period_start, end: item.current_period_end },
    pretax_credit_amounts: [],
    pricing: {
      type: 'price_details',
      price_details: { price: item.price.id, product: item.price.product as string },
      unit_amount_decimal: String(unit),
    },
    quantity,
    quantity_decimal: String(quantity),
    subscription: item.subscription,
    subtotal: amount,
    taxes: [],
  }
}
