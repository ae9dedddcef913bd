import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CheckoutRecord } from './checkout.js'
import type { Customer, DeletedCustomer } from './customer.js'
import type { PaymentEvent } from './event.js'
import type { SavedAnswer } from './http.js'
import type { Invoice } from './invoice.js'
import type { Charge, Dispute } from './payment.js'
import type { PortalRecord } from './portal-session.js'
import type { Subscription } from './subscription.js'

/** A map, in insertion order, with an index by customer. */
class CustomerMap<T> extends Map<string, T> {
  private readonly idsByCustomer = new Map<string, Set<string>>()

  constructor(private readonly customerOf: (value: T) => string | null) {
    super()
  }

  /** Set a value again once it gets its customer. Once set, a customer never changes. */
  override set(id: string, value: T): this {
    const customer = this.customerOf(value)
    if (customer !== null) {
      const ids = this.idsByCustomer.get(customer) ?? new Set()
      this.idsByCustomer.set(customer, ids.add(id))
    }
    return super.set(id, value)
  }

  /** The customer's values, or everybody's when null, oldest first. */
  ofCustomer(customer: string | null): T[] {
    if (customer === null) return [...this.values()]
    return [...(this.idsByCustomer.get(customer) ?? [])].map(id => this.get(id)!)
  }
}

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

type SavedState = Record<(typeof REQUIRED_COLLECTIONS)[number], SavedCollection> &
  Partial<Record<(typeof OPTIONAL_COLLECTIONS)[number], SavedCollection>>

// One click makes several changes, which are written together.
const COALESCE_MS = 20

/** Saves a State in a JSON file. Only its owner can read it, because it has customers' e-mail addresses. */
export class StateFile {
  private writing: Promise<void> | null = null
  private isStale = false
  /** Why the last write failed. A full disk must not stop the server in this process. */
  private failure: Error | null = null

  private constructor(
    private readonly path: string,
    private readonly state: State,
  ) {}

  /**
   * Restores the state from the file, if there is one, and saves every later change. Rejects when the file is
   * not ours.
   */
  static async open(path: string, state: State): Promise<StateFile> {
    await mkdir(dirname(path), { recursive: true })
    const file = new StateFile(path, state)
    await file.read()
    state.changed = () => file.save()
    return file
  }

  /** Resolves when the last change is in the file; rejects when it could not be written. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing
    if (this.failure) throw new Error(`${this.path} could not be written`, { cause: this.failure })
  }

  private async read(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) return
    try {
      this.state.restore(JSON.parse(text) as SavedState)
    } catch (cause) {
      throw new Error(`${this.path} is not a payment sandbox state: delete it to start afresh`, { cause })
    }
  }

  private save(): void {
    this.isStale = true
    this.writing ??= this.write().finally(() => {
      this.writing = null
    })
  }

  private async write(): Promise<void> {
    while (this.isStale) {
      await new Promise(resolve => setTimeout(resolve, COALESCE_MS))
      this.isStale = false
      this.failure = await this.replaceFile().then(
        () => null,
        (error: Error) => error,
      )
    }
  }

  /** Readers, and a start after a crash, see the old file or the new one, never half of one. */
  private async replaceFile(): Promise<void> {
    await writeFile(`${this.path}.tmp`, JSON.stringify(this.state), { mode: 0o600 })
    await rename(`${this.path}.tmp`, this.path)
  }
}
