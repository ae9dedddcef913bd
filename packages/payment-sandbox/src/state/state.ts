import type { CheckoutRecord } from '../checkout/checkout.js'
import type { Customer, DeletedCustomer } from '../customers/customer.js'
import type { PaymentEvent } from '../events/event.js'
import type { SavedAnswer } from '../http/answer.js'
import type { Invoice } from '../invoices/invoice.js'
import type { Charge } from '../payments/charge.js'
import type { Dispute } from '../payments/dispute.js'
import type { PortalRecord } from '../portal/portal-session.js'
import type { Subscription } from '../subscriptions/subscription.js'
import { CustomerMap } from './customer-map.js'

/** All objects of the sandbox by id, oldest first. */
export class State {
  readonly customers: Map<string, Customer> = new Map()
  readonly checkouts = new CustomerMap<CheckoutRecord>(({ checkout }) => checkout.customer)
  readonly subscriptions = new CustomerMap<Subscription>(({ customer }) => customer)
  readonly events = new Map<string, PaymentEvent>()
  /** Saved answers by idempotency key. */
  readonly answers = new Map<string, SavedAnswer>()
  readonly deletedCustomers: Map<string, DeletedCustomer> = new Map()
  readonly invoices = new CustomerMap<Invoice>(({ customer }) => customer)
  readonly charges = new Map<string, Charge>()
  readonly disputes = new Map<string, Dispute>()
  readonly portals = new Map<string, PortalRecord>()
  /** Cents (negative for a credit) that the next invoice adds, by subscription. */
  readonly prorations = new Map<string, number>()
  /** The subscriptions for which nobody has given a means of payment. */
  readonly withoutMethod = new Map<string, true>()
  /** The open invoices whose payment is under way, or waits for the customer to confirm it. */
  readonly paymentsUnderWay = new Map<string, 'processing' | 'requires_action'>()

  /** Events whose delivery has not started. Not saved: it follows from `pending_webhooks`. */
  readonly undelivered = new Map<string, PaymentEvent>()

  /** To be called after every change. Does nothing unless replaced. */
  changed: () => void = () => {}

  /** Fills an empty state with the output of `toJSON`, including that of versions with fewer collections. */
  restore(saved: SavedState): void {
    for (const name of REQUIRED_COLLECTIONS) this.fill(name, saved[name])
    for (const name of OPTIONAL_COLLECTIONS) this.fill(name, saved[name] ?? [])
    for (const event of this.events.values()) {
      if (event.pending_webhooks > 0) this.undelivered.set(event.id, event)
    }
  }

  toJSON(): SavedState {
    return Object.fromEntries(
      [...REQUIRED_COLLECTIONS, ...OPTIONAL_COLLECTIONS].map(name => [name, [...this[name]]]),
    ) as SavedState
  }

  private fill(name: CollectionName, entries: SavedCollection): void {
    const collection = this[name] as Map<string, unknown>
    for (const [id, value] of entries) collection.set(id, value)
  }
}

// A file that lacks one of these is not ours.
const REQUIRED_COLLECTIONS = ['customers', 'checkouts', 'subscriptions', 'events', 'answers'] as const
const OPTIONAL_COLLECTIONS = [
  'deletedCustomers',
  'invoices',
  'charges',
  'disputes',
  'portals',
  'prorations',
  'withoutMethod',
  'paymentsUnderWay',
] as const

type CollectionName = (typeof REQUIRED_COLLECTIONS)[number] | (typeof OPTIONAL_COLLECTIONS)[number]
type SavedCollection = [string, unknown][]

export type SavedState = Record<(typeof REQUIRED_COLLECTIONS)[number], SavedCollection> &
  Partial<Record<(typeof OPTIONAL_COLLECTIONS)[number], SavedCollection>>
