import { nowSeconds } from './clock.js'
import { type Customer, type DeletedCustomer, newCustomer } from './customer.js'
import type { EventCause } from './event.js'
import type { Events } from './events.js'
import { ApiError, createdWithin, emailAddress, type Form, metadata, text, textList } from './http.js'
import type { State } from './state.js'
import { hasEnded, type Subscription } from './subscription.js'

/**
 * For a checkout: throws 400 when the customer has a subscription, or an open checkout of one, in another currency.
 * Source: https://docs.stripe.com/billing/customer#currency.
 */
export function requireCurrency(state: State, customer: string, currency: string): void {
  const used = currenciesOf(state, customer).find(each => each !== currency)
  if (used === undefined) return
  const message =
    'You cannot combine currencies on a single customer. This customer has an active subscription, subscription ' +
    `schedule, discount, quote, invoice item or active subscription mode checkout session with currency ${used}.`
  throw new ApiError(400, 'invalid_request_error', message)
}

/** For a change of price: throws 400, in other words than at a checkout, when the subscription has another currency. */
export function requireSameCurrency(subscription: Subscription, currency: string): void {
  if (subscription.currency === currency) return
  const message = `The price specified only supports \`${currency}\`. This doesn't match the expected currency: \`${subscription.currency}\`.`
  throw new ApiError(400, 'invalid_request_error', message)
}

function currenciesOf(state: State, customer: string): string[] {
  const subscriptions = state.subscriptions.ofCustomer(customer).filter(each => !hasEnded(each))
  const open = state.checkouts
    .ofCustomer(customer)
    .map(({ checkout }) => checkout)
    .filter(
      ({ mode, status, expires_at }) =>
        mode === 'subscription' && status === 'open' && expires_at > nowSeconds(),
    )
  return [...subscriptions, ...open].flatMap(({ currency }) => currency ?? [])
}

export class Customers {
  constructor(
    private readonly state: State,
    private readonly events: Events,
  ) {}

  /** A new customer. Identical calls create separate customers unless they share an idempotency key. */
  create(params: Form, cause?: EventCause): Customer {
    const customer = newCustomer(params)
    this.state.customers.set(customer.id, customer)
    this.state.changed()
    this.events.emitSecondary('customer.created', customer, cause)
    return customer
  }

  /**
   * Changes what the request names, where an empty value of metadata removes its key, and emits `customer.updated`; throws 404 when it is unknown or deleted, 400 for an
   * e-mail address or metadata that Stripe refuses.
   */
  update(id: string, params: Form, cause?: EventCause): Customer {
    const customer = this.find(id)
    const before = structuredClone(customer)
    const email = emailAddress(params, 'email')
    const added = metadata(params)
    for (const field of ['name', 'description'] as const)
      if (field in params) customer[field] = text(params, field)
    if ('email' in params) customer.email = email
    if ('preferred_locales' in params) customer.preferred_locales = textList(params, 'preferred_locales')
    const merged = Object.entries({ ...customer.metadata, ...added })
    customer.metadata = Object.fromEntries(merged.filter(([, value]) => value !== ''))
    this.events.emit('customer.updated', customer, cause, before)
    return customer
  }

  /**
   * The customer; throws resource_missing: 404 when the path named it, 400 when the parameter `customer` did.
   */
  find(id: string, namedBy: 'path' | 'parameter' = 'path'): Customer {
    const customer = this.state.customers.get(id)
    if (customer) return customer
    if (namedBy === 'path') throw ApiError.missing(404, 'customer', id, 'id')
    throw ApiError.missing(400, 'customer', id, 'customer')
  }

  /** The customer, or the stub of a deleted one; throws 404 resource_missing when there never was one. */
  findOrDeleted(id: string): Customer | DeletedCustomer {
    return this.state.deletedCustomers.get(id) ?? this.find(id)
  }

  /** Throws 400 resource_missing when a list is about a customer that never was; a deleted one still has lists. */
  requireListed(params: Form): void {
    const id = text(params, 'customer')
    if (id !== null && !this.state.deletedCustomers.has(id)) this.find(id, 'parameter')
  }

  /** Customers that are not deleted, newest first, filtered by `email` and `created`. */
  list(params: Form): Customer[] {
    const isInRange = createdWithin(params)
    const email = text(params, 'email')
    const all = [...this.state.customers.values()].reverse()
    return all.filter(customer => (email === null || customer.email === email) && isInRange(customer))
  }
}
