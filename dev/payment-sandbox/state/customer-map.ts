/** A map, in the order things were set, that also knows which of them belong to a customer without a look at all. */
export class CustomerMap<T> extends Map<string, T> {
  private readonly idsByCustomer = new Map<string, Set<string>>()

  constructor(private readonly customerOf: (value: T) => string | null) {
    super()
  }

  /** Set again what got its customer only now. Nothing ever changes its customer. */
  override set(id: string, value: T): this {
    const customer = this.customerOf(value)
    if (customer !== null) {
      const ids = this.idsByCustomer.get(customer) ?? new Set()
      this.idsByCustomer.set(customer, ids.add(id))
    }
    return super.set(id, value)
  }

  /** What the customer has, oldest first; everybody's when null. */
  ofCustomer(customer: string | null): T[] {
    if (customer === null) return [...this.values()]
    return [...(this.idsByCustomer.get(customer) ?? [])].map(id => this.get(id)!)
  }
}
