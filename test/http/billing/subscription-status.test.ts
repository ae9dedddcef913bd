import { describe, expect, it, jest } from '@jest/globals'
import { Subscriptions } from '../../sources.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { onServers } from '../../support/tiers.js'
import { bearer, logOut, outcome, readSubscription } from '../support/api-calls.js'
import { callsWithin } from '../support/calls-within.js'
import { anotherSubscription, aSubscriber, openCheckout, statusOf } from '../support/subscriber.js'

const app = anApp()

it('security L8: is not shown to a session that has ended, though its token is valid', async () => {
  const { accessToken } = await signIn(app, await anOwner(app), 'main')
  expect(outcome(await readSubscription(app, accessToken))).toBe('200')
  await logOut(app, accessToken)
  expect(outcome(await readSubscription(app, accessToken))).toBe('401 SESSION_NOT_FOUND')
})

describe('the subscription of an account', () => {
  it('is not touched by the end of another subscription of its customer', async () => {
    const payer = await aSubscriber(app)
    const other = await anotherSubscription(app, payer.customerId)
    await app.sandbox.simulate.cancel(other)
    await app.paymentsSettled()
    expect(await statusOf(app, payer.signedIn)).toBe('active')
  })

  it('is followed by a new one after its end', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    await app.paymentsSettled()
    await app.sandbox.simulate.pay(await openCheckout(app, payer.signedIn))
    await app.paymentsSettled()
    expect(await statusOf(app, payer.signedIn)).toBe('active')
  })

  it('is not active because the browser came back from the payment page', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    await openCheckout(app, signedIn)
    const back = await app.request({ path: '/subscribe?checkout=paid' })
    expect(back.status).toBe(404)
    expect(await statusOf(app, signedIn)).toBe('none')
  })
})

describe('the cached subscription status', () => {
  onServers('is served after a look at the session alone, until a webhook drops it', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const checkoutId = await openCheckout(app, signedIn)
    expect(await statusOf(app, signedIn)).toBe('none')
    expect(await statementsFor(signedIn, 'none')).toBe(1)
    await app.sandbox.simulate.pay(checkoutId)
    await app.paymentsSettled()
    expect(await statementsFor(signedIn, 'active')).toBe(2)
  })

  it('billing: read while a webhook comes is not served after it', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const checkoutId = await openCheckout(app, signedIn)
    const subscriptions = app.get(Subscriptions)
    const find = subscriptions.find.bind(subscriptions)
    const overlapped = jest.spyOn(subscriptions, 'find').mockImplementationOnce(async accountId => {
      const known = await find(accountId)
      await app.sandbox.simulate.pay(checkoutId)
      await app.paymentsSettled()
      return known
    })
    expect(await statusOf(app, signedIn)).toBe('none')
    overlapped.mockRestore()
    expect(await statusOf(app, signedIn)).toBe('active')
  })

  /** Not over the network, so that the question can be told from what runs beside it. */
  function statementsFor({ accessToken }: SignedIn, status: string): Promise<number> {
    return callsWithin(app.database, 'run', async () => {
      const headers = { Origin: MAIN, ...bearer(accessToken) }
      const answer = await app.app.inject({ url: '/api/subscription', headers })
      expect(answer.json().status).toBe(status)
    })
  }
})
