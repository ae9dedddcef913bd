import type { CheckoutRecord } from './checkout.js'
import type { Customer } from './customers.js'
import type { PaymentEvent } from './events.js'
import type { KeptAnswer } from './idempotency-keys.js'
import type { Subscription } from './subscription.js'

/** Everything the sandbox remembers, by id, in the order it was made. */
export class State {
  readonly customers = new Map<string, Customer>()
  readonly checkouts = new Map<string, CheckoutRecord>()
  readonly subscriptions = new Map<string, Subscription>()
  readonly events = new Map<string, PaymentEvent>()
  /** First answers by idempotency key. */
  readonly answers = new Map<string, KeptAnswer>()

  /** Call after every change. Does nothing until someone wants to know. */
  changed: () => void = () => {}

  /** Fills an empty state with what `toJSON` gave. */
  restore(saved: SavedState): void {
    for (const name of PARTS) {
      const part = this[name] as Map<string, unknown>
      for (const [id, value] of saved[name]) part.set(id, value)
    }
  }

  toJSON(): SavedState {
    return Object.fromEntries(PARTS.map(name => [name, [...this[name]]])) as SavedState
  }
}

const PARTS = ['customers', 'checkouts', 'subscriptions', 'events', 'answers'] as const

export type SavedState = Record<(typeof PARTS)[number], [string, unknown][]>
