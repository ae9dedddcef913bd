import type { Checkouts } from '../checkout/checkouts.js'
import type { CustomerDeletion } from '../customers/customer-deletion.js'
import type { Customers } from '../customers/customers.js'
import type { Dashboard } from '../dashboard/dashboard.js'
import type { Events } from '../events/events.js'
import type { Invoices } from '../invoices/invoices.js'
import type { Charges } from '../payments/charges.js'
import type { DelayedPayments } from '../payments/delayed-payments.js'
import type { Refunds } from '../payments/refunds.js'
import type { Portals } from '../portal/portals.js'
import type { Prices } from '../prices/prices.js'
import type { State } from '../state/state.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'

/** What the routes of the API call. */
export interface ApiServices {
  state: State
  customers: Customers
  deletion: CustomerDeletion
  checkouts: Checkouts
  subscriptions: Subscriptions
  invoices: Invoices
  charges: Charges
  refunds: Refunds
  delayedPayments: DelayedPayments
  portals: Portals
  prices: Prices
  events: Events
  dashboard: Dashboard
}
