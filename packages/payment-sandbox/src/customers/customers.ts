import { createdWithin } from '../api/list.js'
import type { EventCause } from '../events/event.js'
import type { Events } from '../events/events.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { emailAddress, metadata, text, textList } from '../http/form-fields.js'
import type { State } from '../state/state.js'
import { type Customer, type DeletedCustomer, newCustomer } from './customer.js'

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
