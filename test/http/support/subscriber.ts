import Stripe from 'stripe'
import type { PaymentEvent, User } from '../../sources.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { readSubscription, subscribe } from './api-calls.js'

/** An owner who has paid, with what the provider made of it. */
export interface Subscriber {
  readonly owner: User
  readonly signedIn: SignedIn
  readonly customerId: string
  readonly subscriptionId: string
}

export async function aSubscriber(app: TestApp, account?: User, body: object = {}): Promise<Subscriber> {
  const owner = account ?? (await anOwner(app))
  const signedIn = await signIn(app, owner, 'main')
  const checkoutId = await openCheckout(app, signedIn, body)
  await app.sandbox.simulate.pay(checkoutId)
  await app.paymentsSettled()
  const paid = app.sandbox.checkouts().find(({ id }) => id === checkoutId)
  return {
    owner,
    signedIn,
    customerId: paid?.customer as string,
    subscriptionId: paid?.subscription as string,
  }
}

/** The id at the provider of the checkout that a click on "subscribe" opens. */
export async function openCheckout(app: TestApp, signedIn: SignedIn, body: object = {}): Promise<string> {
  const { json } = await subscribe(app, signedIn, body)
  return json.checkoutUrl.split('/').at(-1)
}

/** The id of a subscription made at the provider, past us, as in its dashboard. */
export async function anotherSubscription(app: TestApp, customer: string): Promise<string> {
  const checkout = await app.get(Stripe).checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: [{ price: 'price_yearly', quantity: 1 }],
    success_url: `${MAIN}/`,
  })
  await app.sandbox.simulate.pay(checkout.id)
  await app.paymentsSettled()
  return app.sandbox.checkouts().find(({ id }) => id === checkout.id)?.subscription as string
}

/** What happens at the provider meanwhile reaches us by no event. */
export async function withoutWebhooks<T>({ sandbox }: TestApp, work: () => Promise<T>): Promise<T> {
  const { webhookUrl } = sandbox
  sandbox.webhookUrl = null
  try {
    return await work()
  } finally {
    sandbox.webhookUrl = webhookUrl
  }
}

/** The status as the account's users see it. */
export async function statusOf(app: TestApp, { accessToken }: SignedIn): Promise<string> {
  return (await readSubscription(app, accessToken)).json.status
}

/** The provider's event that the subscription was made. */
export function creationOf(app: TestApp, subscriptionId: string): PaymentEvent {
  return app.sandbox
    .events()
    .find(
      ({ type, data }) =>
        type === 'customer.subscription.created' && (data.object as { id: string }).id === subscriptionId,
    ) as PaymentEvent
}
