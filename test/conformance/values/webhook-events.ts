import { randomUUID } from 'node:crypto'
import { createStripe } from '../../sources.js'
import { MAIN } from '../../support/test-app.js'
import type { Case } from '../case.js'
import type { Cast } from '../cast.js'

type Event = { type: string; data: { object: Record<string, unknown> } }

/** What the notes of these cases say of the event and their bodies do not show. */
const AS_NOTED: Readonly<Record<string, (event: Event) => void>> = {
  'WH-22': event => {
    event.type = 'no.such.type'
  },
  'WH-23': event => {
    event.data.object.payment_status = 'unpaid'
  },
}

/** The event of a webhook case. */
export function eventOf({ id, body }: Case): object {
  const event = structuredClone(body) as Event
  AS_NOTED[id]?.(event)
  return event
}

/**
 * The id of a checkout that the provider knows and that is paid, so that an event about it which is wrongly let in
 * shows in the subscription. WH-23's is not paid; WH-21's is of a customer that is none of ours.
 */
export async function checkoutOf({ id }: Case, cast: Cast): Promise<string> {
  const checkoutId = id === 'WH-21' ? await checkoutOfAStranger(cast) : await checkoutOfU1(cast)
  if (id !== 'WH-23') await cast.service.sandbox.simulate.pay(checkoutId)
  return checkoutId
}

/** The account that the event names: that of U1, or for WH-21 one that does not exist. */
export async function accountOf({ id }: Case, cast: Cast): Promise<string> {
  return id === 'WH-21' ? randomUUID() : (await cast.owner('U1')).accountId
}

async function checkoutOfU1(cast: Cast): Promise<string> {
  const { accessToken, sessionId } = await cast.session('U1', 'main')
  const answer = await cast.service.request({
    method: 'POST',
    path: '/api/subscription/create',
    headers: { Origin: MAIN, Authorization: `Bearer ${accessToken}`, Cookie: `sessionId=${sessionId}` },
    body: {},
  })
  return cast.service.sandbox.checkouts().find(({ url }) => url === answer.json.checkoutUrl)!.id
}

async function checkoutOfAStranger({ service }: Cast): Promise<string> {
  const settings = service.settings.stripe!
  const stripe = createStripe(settings)
  const { id: customer } = await stripe.customers.create({})
  const { id } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: [{ price: settings.priceIds[0]!, quantity: 1 }],
    success_url: MAIN,
  })
  return id
}
