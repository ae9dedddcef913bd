/** A map, in insertion order, with an index by customer. */
export class CustomerMap<T> extends Map<string, T> {
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
