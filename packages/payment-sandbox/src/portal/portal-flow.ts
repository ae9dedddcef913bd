import { requireSameCurrency } from '../customers/currency.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { integer, nested, nestedList, oneOf, requiredText, text, webUrl } from '../http/form-fields.js'
import { type Price, type Prices, requireNoQuantity } from '../prices/prices.js'
import type { Subscription, SubscriptionItem } from '../subscriptions/subscription.js'
import { hasEnded } from '../subscriptions/subscription-changes.js'
import { FLOW_TYPES, type FlowType, type PortalFlow } from './portal-session.js'

type ConfirmedItem = NonNullable<PortalFlow['subscription_update_confirm']>['items'][number]

const COMPLETIONS = ['hosted_confirmation', 'portal_homepage', 'redirect'] as const

/** Reads `flow_data`. Null when it is absent; throws 400 for a flow that Stripe would refuse. */
export function portalFlow(
  params: Form,
  subscriptions: readonly Subscription[],
  prices: Prices,
): PortalFlow | null {
  if (!('flow_data' in params)) return null
  const data = nested(params, 'flow_data')
  requiredText(data, 'type', 'flow_data[type]')
  const type = oneOf(data, 'type', FLOW_TYPES, 'flow_data[type]')!
  return {
    type,
    after_completion: afterCompletion(nested(data, 'after_completion')),
    customer_update: null,
    subscription_pause: null,
    ...flowDetails(type, data, subscriptions, prices),
  }
}

/** The detail of this type; those of the other types are null. */
function flowDetails(type: FlowType, data: Form, subscriptions: readonly Subscription[], prices: Prices) {
  const none = { subscription_cancel: null, subscription_update: null, subscription_update_confirm: null }
  if (type === 'payment_method_update') return none
  const detail = nested(data, type)
  const param = `flow_data[${type}]`
  const id = requiredText(detail, 'subscription', `${param}[subscription]`)
  const subscription = subscriptions.find(each => each.id === id && !hasEnded(each))
  if (!subscription) throw ApiError.missing(400, 'subscription', id, `${param}[subscription]`)
  if (type === 'subscription_cancel') return { ...none, [type]: { retention: null, subscription: id } }
  requireOneItem(subscription, `${param}[subscription]`)
  if (type === 'subscription_update') return { ...none, [type]: { subscription: id } }
  const items = itemsOf(detail, `${param}[items]`, subscription, prices)
  return { ...none, [type]: { discounts: null, items, subscription: id } }
}

/** https://docs.stripe.com/api/customer_portal/sessions/create: one with several items is not updatable. */
function requireOneItem({ items }: Subscription, param: string): void {
  if (items.data.length > 1)
    throw ApiError.badParameter(
      'parameter_invalid',
      param,
      'Subscriptions with multiple items are not updatable.',
    )
}

function itemsOf(detail: Form, param: string, subscription: Subscription, prices: Prices): ConfirmedItem[] {
  const items = nestedList(detail, 'items')
  if (items.length !== 1)
    throw ApiError.badParameter('parameter_invalid', param, 'Exactly one item can be updated.')
  return items.map(item => {
    const id = requiredText(item, 'id', `${param}[0][id]`)
    const current = subscription.items.data.find(each => each.id === id)
    if (!current) throw ApiError.missing(400, 'subscription item', id, `${param}[0][id]`)
    const price = prices.find(text(item, 'price') ?? current.price.id, `${param}[0][price]`)
    requireSameCurrency(subscription, price.currency)
    requireNoQuantity(integer(item, 'quantity'), price, `${param}[0]`)
    return { id, price: price.id, quantity: quantityAfter(item, price, current) }
  })
}

/** What is not given stays as it is, but what is billed by usage has none. */
function quantityAfter(item: Form, { recurring }: Price, current: SubscriptionItem): number | undefined {
  return recurring?.usage_type === 'metered'
    ? undefined
    : (integer(item, 'quantity') ?? current.quantity ?? 1)
}

function afterCompletion(completion: Form): PortalFlow['after_completion'] {
  const param = 'flow_data[after_completion]'
  const type = oneOf(completion, 'type', COMPLETIONS, `${param}[type]`) ?? 'portal_homepage'
  const confirmation = nested(completion, 'hosted_confirmation')
  return {
    type,
    hosted_confirmation:
      type === 'hosted_confirmation' ? { custom_message: text(confirmation, 'custom_message') } : null,
    redirect: type === 'redirect' ? redirect(completion, `${param}[redirect][return_url]`) : null,
  }
}

function redirect(completion: Form, param: string): { return_url: string } {
  return { return_url: webUrl(requiredText(nested(completion, 'redirect'), 'return_url', param), param) }
}
