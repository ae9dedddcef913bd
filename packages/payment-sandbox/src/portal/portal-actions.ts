import type { Customers } from '../customers/customers.js'
import type { Events } from '../events/events.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { integer, requiredText } from '../http/form-fields.js'
import type { Invoices } from '../invoices/invoices.js'
import { newId } from '../state/ids.js'
import type { Dunning } from '../subscriptions/dunning.js'
import { isCancelling, periodEnd } from '../subscriptions/subscription-changes.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { PortalAction } from './portal-elements.js'
import type { PortalSession } from './portal-session.js'

/** The actions behind the portal's buttons. */
export class PortalActions {
  constructor(
    private readonly events: Events,
    private readonly customers: Customers,
    private readonly subscriptions: Subscriptions,
    private readonly invoices: Invoices,
    private readonly dunning: Dunning,
  ) {}

  /**
   * Performs the action, with Stripe's events; throws ApiError when it is impossible or the object is another
   * customer's.
   */
  perform(action: PortalAction, session: PortalSession, fields: Form): void {
    if (action === 'method') this.saveMethod(session)
    else if (action === 'pay') this.pay(session, requiredText(fields, 'invoice'))
    else if (action === 'confirm') this.confirm(session)
    else if (action === 'update') this.update(session, fields)
    else this.setCancelling(session, requiredText(fields, 'subscription'), action === 'cancel')
  }

  private saveMethod({ customer: id }: PortalSession): void {
    const customer = this.customers.find(id)
    const before = structuredClone(customer)
    customer.invoice_settings.default_payment_method = newId('pm_1', 23)
    for (const subscription of this.subscriptions.list(id, 'all'))
      this.subscriptions.recordMethod(subscription.id)
    this.events.emit('customer.updated', customer, undefined, before)
  }

  private pay({ customer }: PortalSession, id: string): void {
    const invoice = this.invoices.find(id)
    if (invoice.customer !== customer || invoice.status !== 'open')
      throw ApiError.missing(404, 'invoice', id, 'id')
    this.dunning.pay(invoice)
  }

  private confirm(session: PortalSession): void {
    const { subscription, items } = session.flow!.subscription_update_confirm!
    const [item] = items
    this.change(session, subscription, item!.id!, item!.price!, item!.quantity)
  }

  private update(session: PortalSession, fields: Form): void {
    const [subscription, item, price] = ['subscription', 'item', 'price'].map(name =>
      requiredText(fields, name),
    ) as [string, string, string]
    this.change(session, subscription, item, price, Math.max(1, integer(fields, 'quantity') ?? 1))
  }

  /** Billed at once, so that the customer sees what it cost. */
  private change(session: PortalSession, id: string, item: string, price: string, quantity?: number): void {
    this.requireOwned(session, id)
    const items = [{ id: item, price, quantity }]
    this.subscriptions.change(id, { items, proration_behavior: 'always_invoice' })
  }

  /** A second click has no effect. */
  private setCancelling(session: PortalSession, id: string, isWanted: boolean): void {
    const subscription = this.requireOwned(session, id)
    if (isCancelling(subscription) === isWanted) return
    if (!isWanted) this.subscriptions.change(id, { cancel_at: null })
    else if (subscription.billing_mode.type === 'classic')
      this.subscriptions.change(id, { cancel_at_period_end: true })
    else this.subscriptions.change(id, { cancel_at: periodEnd(subscription) })
  }

  private requireOwned({ customer }: PortalSession, id: string) {
    const subscription = this.subscriptions.find(id)
    if (subscription.customer === customer) return subscription
    throw ApiError.missing(404, 'subscription', id, 'id')
  }
}
