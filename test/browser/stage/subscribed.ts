import Stripe from 'stripe'
import { BillingCustomers, type User } from '../../sources.js'
import type { TestApp } from '../../support/test-app.js'
import { MAIN } from './hosts.js'

export interface Payer {
  readonly subscriptionId: string
}

/** The id at the provider of a page where the account can pay. */
export async function openPage(app: TestApp, { accountId }: User): Promise<string> {
  const { id } = await app.get(Stripe).checkout.sessions.create({
    mode: 'subscription',
    customer: await app.get(BillingCustomers).ensure(accountId),
    line_items: [{ price: 'price_monthly', quantity: 1 }],
    success_url: `${MAIN}/account/billing`,
  })
  return id
}

/** The account of the user has paid. */
export async function subscribed(app: TestApp, owner: User): Promise<Payer> {
  const page = await openPage(app, owner)
  await app.sandbox.simulate.pay(page)
  await app.paymentsSettled()
  const { subscription } = app.sandbox.checkouts().find(({ id }) => id === page)!
  return { subscriptionId: subscription as string }
}
