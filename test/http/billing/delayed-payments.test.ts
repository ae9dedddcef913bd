import { describe, expect, it, jest } from '@jest/globals'
import Stripe from 'stripe'
import { BillingReconciler, CustomerSync, SurplusSubscriptions } from '../../sources.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie, outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { ask, keep } from '../support/leaving-accounts.js'
import { click, readAfter } from '../support/paying.js'
import { aProvenOwner, onMainSite } from '../support/reauthenticate.js'
import { anotherSubscription, aSubscriber, openCheckout, withoutWebhooks } from '../support/subscriber.js'
import { claimsOf } from '../support/token-claims.js'

describe('billing 1: a first payment that takes days', () => {
  const app = anApp()

  async function stateOf({ accessToken }: SignedIn): Promise<string> {
    await app.paymentsSettled()
    return (await readSubscription(app, accessToken)).json.state
  }

  /** An owner who has chosen to pay by bank debit. */
  async function aPatientPayer() {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const checkout = await openCheckout(app, signedIn)
    await app.sandbox.simulate.payByBankDebit(checkout)
    await app.paymentsSettled()
    const made = app.sandbox.checkouts().find(({ id }) => id === checkout)
    return {
      signedIn,
      checkout,
      customer: made?.customer as string,
      subscription: made?.subscription as string,
    }
  }

  function livingOf(customer: string): string[] {
    const all = app.sandbox.subscriptions().filter(subscription => subscription.customer === customer)
    return all.filter(({ status }) => status === 'active').map(({ id }) => id)
  }

  it('is in the way of another while it is on its way, and then is the one', async () => {
    const { signedIn, checkout, customer, subscription } = await aPatientPayer()
    expect(await stateOf(signedIn)).toBe('pending')
    expect((await readAfter(app, signedIn, checkout)).json).toMatchObject({
      state: 'pending',
      checkout: 'pending',
    })
    for (const priceId of ['price_monthly', 'price_yearly'])
      expect(outcome(await subscribe(app, signedIn, { priceId }))).toBe('409 PAYMENT_PENDING')
    await app.sandbox.simulate.settleBankDebit(checkout, 'succeeded')
    expect(await stateOf(signedIn)).toBe('active')
    expect(livingOf(customer)).toEqual([subscription])
    expect(outcome(await subscribe(app, signedIn))).toBe('409 ALREADY_SUBSCRIBED')
  })

  it('is in the way also for who asks before its event has come', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const checkout = await openCheckout(app, signedIn)
    const early = await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.payByBankDebit(checkout)
      return subscribe(app, signedIn, { priceId: 'price_yearly' })
    })
    expect(outcome(early)).toBe('409 PAYMENT_PENDING')
  })

  slow('counts after a subscription that has ended', async () => {
    const { signedIn, subscriptionId } = await aSubscriber(app)
    await app.sandbox.simulate.cancel(subscriptionId)
    await app.paymentsSettled()
    await app.sandbox.simulate.payByBankDebit(await openCheckout(app, signedIn))
    expect(await stateOf(signedIn)).toBe('pending')
    expect(outcome(await subscribe(app, signedIn))).toBe('409 PAYMENT_PENDING')
  })

  it('that fails leaves the account free, and what is left of it cannot be paid beside another', async () => {
    const { signedIn, checkout, customer, subscription } = await aPatientPayer()
    await app.sandbox.simulate.settleBankDebit(checkout, 'failed')
    expect(await stateOf(signedIn)).toBe('none')
    const second = await openCheckout(app, signedIn)
    await expect(app.sandbox.simulate.recoverPayment(subscription)).rejects.toThrow()
    await app.sandbox.simulate.pay(second)
    expect(await stateOf(signedIn)).toBe('active')
    expect(livingOf(customer)).toHaveLength(1)
  })

  it('that fails and then is paid in another way is not sold a second time', async () => {
    const { signedIn, checkout, customer, subscription } = await aPatientPayer()
    await app.sandbox.simulate.settleBankDebit(checkout, 'failed')
    await app.paymentsSettled()
    const early = await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.recoverPayment(subscription)
      return subscribe(app, signedIn)
    })
    expect(outcome(early)).toBe('409 ALREADY_SUBSCRIBED')
    expect(await stateOf(signedIn)).toBe('active')
    expect(livingOf(customer)).toEqual([subscription])
  })

  /** An owner whose bank wants the payment confirmed. */
  async function anUnconfirmedPayer() {
    const owner = await anOwner(app)
    const signedIn = await signIn(app, owner, 'main')
    const checkout = await openCheckout(app, signedIn)
    await app.sandbox.simulate.payUnconfirmed(checkout)
    await app.paymentsSettled()
    const made = app.sandbox.checkouts().find(({ id }) => id === checkout)
    const [customer, subscription] = [made?.customer as string, made?.subscription as string]
    return {
      owner,
      signedIn,
      checkout,
      customer,
      subscription,
      page: `${app.sandbox.url}/invoice/${made?.invoice}`,
    }
  }

  it('that the bank wants confirmed is not called on its way, and its page is for those who may pay (B12)', async () => {
    const { owner, signedIn, checkout, page } = await anUnconfirmedPayer()
    const unconfirmed = { status: 'incomplete', state: 'unconfirmed', confirmUrl: page }
    const byPage = { ...bearer(signedIn.accessToken), ...cookie(signedIn.sessionId) }
    for (const path of ['/api/subscription', `/api/subscription?checkout=${checkout}`])
      expect((await app.request({ path, headers: byPage })).json).toMatchObject(unconfirmed)
    // A main-site token stolen from a page is not enough.
    expect((await readAfter(app, signedIn, checkout)).json.confirmUrl).toBeNull()
    for (const other of [
      await signIn(app, owner, 'satellite'),
      await signIn(app, await aMember(app, owner), 'main'),
    ])
      expect((await readSubscription(app, other.accessToken)).json).toMatchObject({
        state: 'unconfirmed',
        confirmUrl: null,
      })
    await click(page, 'pay')
    await app.paymentsSettled()
    expect((await readSubscription(app, signedIn.accessToken)).json).toMatchObject({
      state: 'active',
      confirmUrl: null,
    })
  })

  slow(
    'that nobody confirms is not in the way of another, and cannot be confirmed beside it (B12)',
    async () => {
      const { signedIn, customer, subscription } = await anUnconfirmedPayer()
      const second = await openCheckout(app, signedIn)
      await expect(app.sandbox.simulate.recoverPayment(subscription)).rejects.toThrow()
      await app.sandbox.simulate.pay(second)
      expect(await stateOf(signedIn)).toBe('active')
      expect(livingOf(customer)).toHaveLength(1)
    },
  )

  it('that nobody confirms can still be confirmed when the page for another does not open (B12)', async () => {
    const { signedIn, customer, subscription, page } = await anUnconfirmedPayer()
    app.sandbox.dashboard.archivedProducts.add('prod_yearly')
    const refused = await subscribe(app, signedIn, { priceId: 'price_yearly' })
    app.sandbox.dashboard.archivedProducts.clear()
    expect(outcome(refused)).toBe('409 PLAN_UNAVAILABLE')
    expect(await stateOf(signedIn)).toBe('unconfirmed')
    app.sandbox.fault = 'error-500'
    const failed = await subscribe(app, signedIn)
    app.sandbox.fault = null
    expect(failed.status).toBeGreaterThanOrEqual(500)
    await click(page, 'pay')
    expect(await stateOf(signedIn)).toBe('active')
    expect(livingOf(customer)).toEqual([subscription])
  })

  it('that is confirmed and then takes days is on its way, which an event says (B12)', async () => {
    const { signedIn, checkout, customer, subscription } = await anUnconfirmedPayer()
    await app.sandbox.simulate.confirmBankDebit(checkout)
    expect(await stateOf(signedIn)).toBe('pending')
    await app.sandbox.simulate.settleBankDebit(checkout, 'succeeded')
    expect(await stateOf(signedIn)).toBe('active')
    expect(livingOf(customer)).toEqual([subscription])
  })

  it('that was confirmed a moment ago is in the way of another, whose page is not left open (B12)', async () => {
    const { signedIn, checkout, customer, subscription } = await anUnconfirmedPayer()
    const early = await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.confirmBankDebit(checkout)
      return subscribe(app, signedIn)
    })
    expect(outcome(early)).toBe('409 PAYMENT_PENDING')
    await app.sandbox.simulate.settleBankDebit(checkout, 'succeeded')
    await app.paymentsSettled()
    expect(livingOf(customer)).toEqual([subscription])
    const pages = app.sandbox.checkouts().filter(({ customer: buyer }) => buyer === customer)
    expect(pages.filter(({ status }) => status === 'open')).toEqual([])
  })

  it('that was confirmed is no repair of the nightly comparison (B12)', async () => {
    const { signedIn, checkout } = await anUnconfirmedPayer()
    await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.confirmBankDebit(checkout)
      await app.get(BillingReconciler).reconcile(1_000)
      await app.paymentsSettled()
      expect((await readSubscription(app, signedIn.accessToken)).json.state).toBe('pending')
    })
    const { accountId } = claimsOf(signedIn.accessToken)
    const rows = await app.auditRows({ accountId })
    expect(rows.map(({ action }) => action)).not.toContain('billing.repair')
  })

  it('whose account is going to be deleted has no page to confirm it any longer (B12)', async () => {
    const owner = await aProvenOwner(app)
    await app.sandbox.simulate.payUnconfirmed(await openCheckout(app, owner))
    await app.paymentsSettled()
    const read = async () => (await onMainSite(app, owner, 'GET', '/api/subscription')).json
    expect(await read()).toMatchObject({ state: 'unconfirmed', confirmUrl: expect.any(String) })
    expect(outcome(await ask(app, owner))).toBe('200')
    expect(await read()).toMatchObject({ state: 'unconfirmed', confirmUrl: null })
    expect((await keep(app, owner)).status).toBeLessThan(300)
    expect(await read()).toMatchObject({ confirmUrl: expect.any(String) })
  })

  it('costs one request more to look at until it has arrived (B12)', async () => {
    const { customer } = await aPatientPayer()
    const before = app.sandbox.requests.length
    await app.get(CustomerSync).syncNow(customer)
    expect(app.sandbox.requests.slice(before).map(({ path }) => path)).toEqual([
      '/v1/subscriptions',
      `/v1/customers/${customer}`,
      '/v1/invoice_payments',
    ])
  })

  it('that never arrives leaves the account free', async () => {
    const { signedIn, subscription } = await aPatientPayer()
    await app.sandbox.simulate.expireFirstPayment(subscription)
    expect(await stateOf(signedIn)).toBe('none')
    expect(outcome(await subscribe(app, signedIn))).toBe('201')
  })

  slow('and a second subscription is not ended while a refund fails that may work later', async () => {
    const { customerId } = await aSubscriber(app)
    const surplus = app.get(SurplusSubscriptions)
    const secondId = await anotherSubscription(app, customerId)
    const message = 'Insufficient funds in your Stripe balance'
    const refusal = { message, code: 'balance_insufficient', statusCode: 400 } as never
    jest
      .spyOn(app.get(Stripe).refunds, 'create')
      .mockRejectedValueOnce(new Stripe.errors.StripeInvalidRequestError(refusal))
    const failure = expect.stringMatching(`^pi_\\w+: ${message}$`)
    expect(await surplus.end(secondId)).toEqual({ refunds: [], hasEnded: false, failures: [failure] })
    jest.restoreAllMocks()
    expect((await surplus.list()).map(({ subscriptionId }) => subscriptionId)).toContain(secondId)
    const refunds = [expect.objectContaining({ amount: 10_000 })]
    expect(await surplus.end(secondId)).toEqual({ refunds, hasEnded: true, failures: [] })
    await app.paymentsSettled()
  })

  slow(
    'and a second subscription that was paid from a credit ends, and says what it did not return',
    async () => {
      const payer = await aSubscriber(app)
      const secondId = await anotherSubscription(app, payer.customerId)
      const { invoices } = app.get(Stripe)
      // The sandbox has no credit balances.
      const { data } = await invoices.list({ subscription: secondId })
      const [paid] = data.map(invoice => ({ ...invoice, starting_balance: -500, ending_balance: -100 }))
      jest.spyOn(invoices, 'list').mockResolvedValueOnce({ data: [paid] } as never)
      const failure = `${paid!.id}: 400 usd (smallest unit) were paid from the customer's credit balance`
      const refunds = [expect.objectContaining({ amount: 10_000 })]
      const end = await app.get(SurplusSubscriptions).end(secondId)
      expect(end).toEqual({ refunds, hasEnded: true, failures: [failure] })
      jest.restoreAllMocks()
      await app.paymentsSettled()
    },
  )

  slow('and a second subscription that still appears is listed, ended and refunded, once', async () => {
    const payer = await aSubscriber(app)
    const accountId = claimsOf(payer.signedIn.accessToken).accountId as string
    const surplus = app.get(SurplusSubscriptions)
    const secondId = await anotherSubscription(app, payer.customerId)
    expect(await surplus.list()).toContainEqual({ accountId, subscriptionId: secondId })
    expect(await surplus.end(payer.subscriptionId)).toBeNull()

    // One attempt meets an outage of the provider, which refunds nothing and so ends nothing.
    app.sandbox.fault = 'error-500'
    await expect(surplus.end(secondId)).rejects.toThrow()
    app.sandbox.fault = null
    // The next one refunds it, but its subscription is not ended yet.
    const cancel = jest
      .spyOn(app.get(Stripe).subscriptions, 'cancel')
      .mockRejectedValueOnce(new Error('lost'))
    expect(await surplus.end(secondId)).toEqual({
      refunds: [expect.objectContaining({ amount: 10_000 })],
      hasEnded: false,
      failures: ['lost'],
    })
    cancel.mockRestore()
    await app.paymentsSettled()
    expect(await surplus.list()).toContainEqual({ accountId, subscriptionId: secondId })
    expect(await Promise.all([surplus.end(secondId), surplus.end(secondId)])).toEqual(
      Array(2).fill({ refunds: [], hasEnded: true, failures: [] }),
    )
    await app.paymentsSettled()
    expect(await surplus.list()).not.toContainEqual({ accountId, subscriptionId: secondId })
    expect(livingOf(payer.customerId)).toEqual([payer.subscriptionId])
    const { data } = await app.get(Stripe).invoices.list({ subscription: secondId })
    expect(data).toHaveLength(1)
    const given = app.sandbox
      .events()
      .filter(
        ({ type, data: { object } }) =>
          type === 'charge.refunded' && 'customer' in object && object.customer === payer.customerId,
      )
    expect(given).toHaveLength(1)
    expect(await app.auditRows({ accountId, action: 'billing.surplus.end' })).toHaveLength(3)
  })
})
