import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { RateLimiter } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome, readSubscription, subscribe } from '../support/api-calls.js'
import { openPortal, readAfter } from '../support/paying.js'
import { openCheckout, withoutWebhooks } from '../support/subscriber.js'

/** What the provider may be asked for within an hour; few enough for a test. */
const PER_USER = 20
const PER_ACCOUNT = 25

describe('GET /api/subscription?checkout=…', () => {
  const app = anApp({
    PAYMENT_REQUESTS_PER_USER: String(PER_USER),
    PAYMENT_REQUESTS_PER_ACCOUNT: String(PER_ACCOUNT),
  })

  async function aCheckout() {
    const owner = await anOwner(app)
    const signedIn = await signIn(app, owner, 'main')
    const providerId = await openCheckout(app, signedIn, { return: `${SHOP_ONE}/thanks?from=shop#top` })
    const made = app.sandbox.checkouts().find(({ id }) => id === providerId)
    const url = new URL(made?.success_url as string)
    return { owner, signedIn, providerId, url, id: url.searchParams.get('checkout') as string }
  }

  async function outcomeOf(signedIn: SignedIn, checkout: string) {
    const { json } = await readAfter(app, signedIn, checkout)
    return json.checkout
  }

  it('is what the browser comes back with after payment, beside what was in the return address', async () => {
    const { url, id } = await aCheckout()
    expect(url.href).toBe(`${SHOP_ONE}/thanks?from=shop&checkout=${id}#top`)
  })

  it('is active as soon as it is paid, before any event', async () => {
    const { signedIn, providerId, id } = await aCheckout()
    await withoutWebhooks(app, async () => {
      await app.sandbox.simulate.pay(providerId)
      const { json } = await readAfter(app, signedIn, id)
      expect(json).toMatchObject({ checkout: 'active', state: 'active', plan: 'price_monthly' })
      expect(await outcomeOf(signedIn, providerId)).toBe('active')
    })
    await app.paymentsSettled()
    expect(await outcomeOf(signedIn, id)).toBe('active')
    // Nothing was lost.
    expect(await app.auditRows({ action: 'billing.repair' })).toEqual([])
  })

  it('is pending while nobody has paid, and asks the provider once for many who ask', async () => {
    const { signedIn, id } = await aCheckout()
    // The worker's own look at a new customer is none of those counted.
    await app.paymentsSettled()
    const before = app.sandbox.requests.length
    const answers = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(signedIn, id)))
    expect(answers).toEqual(Array(10).fill('pending'))
    const asked = app.sandbox.requests.slice(before).filter(({ path }) => path === '/v1/subscriptions')
    expect(asked).toHaveLength(1)
  })

  slow('is pending when the provider is down', async () => {
    const { signedIn, id } = await aCheckout()
    app.sandbox.fault = 'hang'
    const answer = await readAfter(app, signedIn, id)
    app.sandbox.fault = null
    expect(outcome(answer)).toBe('200')
    expect(answer.json.checkout).toBe('pending')
  })

  it('billing 7: shows a plan that was changed in the portal before any event, to whoever may pay', async () => {
    const { signedIn, owner, providerId } = await aCheckout()
    await app.sandbox.simulate.pay(providerId)
    await app.paymentsSettled()
    const member = await signIn(app, await aMember(app, owner), 'main')
    const { json } = await subscribe(app, signedIn, {
      priceId: 'price_yearly',
      return: `${SHOP_ONE}/plan?a=b`,
    })
    // The worker's own look is none of those counted.
    await app.paymentsSettled()
    await withoutWebhooks(app, async () => {
      const confirmed = await fetch(`${json.checkoutUrl}/confirm`, { method: 'POST', redirect: 'manual' })
      expect(confirmed.headers.get('location')).toBe(`${SHOP_ONE}/plan?a=b&portal=closed`)
      const before = app.sandbox.requests.length
      expect(await planAfterPortal(member)).toBe('price_monthly')
      expect(app.sandbox.requests.length).toBe(before)
      expect(await planAfterPortal(signedIn)).toBe('price_yearly')
      expect((await readSubscription(app, member.accessToken)).json.plan).toBe('price_yearly')
    })
    await app.paymentsSettled()
    expect(await app.auditRows({ action: 'billing.repair' })).toEqual([])
    const elsewhere = { path: '/api/subscription?portal=open', headers: bearer(signedIn.accessToken) }
    expect(outcome(await app.request(elsewhere))).toBe('400 INVALID_QUERY')
  })

  slow('billing 7: shows what is known after the portal when the provider is down', async () => {
    const { signedIn, providerId } = await aCheckout()
    await app.sandbox.simulate.pay(providerId)
    await app.paymentsSettled()
    app.sandbox.fault = 'refuse'
    expect(await planAfterPortal(signedIn)).toBe('price_monthly')
    app.sandbox.fault = null
  })

  async function planAfterPortal({ accessToken }: SignedIn): Promise<string> {
    const { json } = await app.request({
      path: '/api/subscription?portal=closed',
      headers: bearer(accessToken),
    })
    return json.plan
  }

  slow(
    'billing 9: 150 clicks make the provider work for as many as one person has, and keep nobody else from paying',
    async () => {
      const { signedIn, id } = await aCheckout()
      const before = app.sandbox.requests.length
      const answers: TestResponse[] = []
      for (let clicks = 0; clicks < 150; clicks += 3) {
        const priceId = clicks % 2 === 0 ? 'price_monthly' : 'price_yearly'
        answers.push(await subscribe(app, signedIn, { priceId }))
        answers.push(await openPortal(app, signedIn))
        answers.push(await readAfter(app, signedIn, id))
      }
      const refused = answers.filter(answer => outcome(answer) === '429 TOO_MANY_ATTEMPTS')
      for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(3_000)
      // A question that was just asked is not asked again, and does not count.
      expect(refused.length).toBeGreaterThan(60)
      expect(answers.slice(0, 10).map(outcome)).not.toContain('429 TOO_MANY_ATTEMPTS')
      // A checkout in the place of another takes the most requests.
      expect(app.sandbox.requests.length - before).toBeLessThanOrEqual(4 * PER_USER)
      expect(outcome(await readSubscription(app, signedIn.accessToken))).toBe('200')
      expect(outcome(await subscribe(app, (await aCheckout()).signedIn))).toBe('201')
    },
  )

  /** Counts as many as these; each is of another user. */
  async function count(kind: 'payment request' | 'payment status', accountId: string, times: number) {
    const client = { requestId: randomUUID(), ip: '192.0.2.1', userAgent: null, origin: null }
    for (let time = 0; time < times; time++) {
      const userId = randomUUID()
      const actor = { userId, accountId }
      await app.get(RateLimiter).count({ kind, subject: userId, client, actor })
    }
  }

  it('billing 9: users of one account share what it has', async () => {
    const { owner, signedIn, id } = await aCheckout()
    // The checkout was the first.
    await count('payment request', owner.accountId, PER_ACCOUNT - 1)
    expect(outcome(await readAfter(app, signedIn, id))).toBe('429 TOO_MANY_ATTEMPTS')
    expect(outcome(await subscribe(app, signedIn))).toBe('429 TOO_MANY_ATTEMPTS')
  })

  slow(
    'billing 9: who may not pay takes no place of those who may, and gets an answer without any',
    async () => {
      const { owner, signedIn, id } = await aCheckout()
      const buyer = await signIn(app, owner, 'satellite')
      await count('payment request', owner.accountId, PER_ACCOUNT - 2)
      expect(await outcomeOf(buyer, id)).toBe('pending')
      expect(outcome(await subscribe(app, signedIn))).toBe('201')
      expect(outcome(await subscribe(app, signedIn))).toBe('429 TOO_MANY_ATTEMPTS')

      const paid = await aCheckout()
      await count('payment request', paid.owner.accountId, PER_ACCOUNT - 1)
      await withoutWebhooks(app, async () => {
        await app.sandbox.simulate.pay(paid.providerId)
        const returning = await signIn(app, paid.owner, 'satellite')
        expect(await outcomeOf(returning, paid.id)).toBe('active')
      })
    },
  )

  it('billing 9: those who may not pay share a limit that keeps nobody from paying', async () => {
    const { owner, signedIn, id } = await aCheckout()
    const members = [await aMember(app, owner), await aMember(app, owner)]
    const [one, other] = await Promise.all(members.map(member => signIn(app, member, 'satellite')))
    await count('payment status', owner.accountId, PER_USER)
    expect(outcome(await readAfter(app, one!, id))).toBe('429 TOO_MANY_ATTEMPTS')
    const answers = await Promise.all([one!, signedIn, other!].map(caller => readAfter(app, caller, id)))
    expect(answers.map(outcome)).toEqual(['429 TOO_MANY_ATTEMPTS', '200', '429 TOO_MANY_ATTEMPTS'])
    expect(outcome(await subscribe(app, signedIn))).toBe('201')
  })

  it('answers 404 for the checkout of another account, and for an unknown one', async () => {
    const { id, providerId } = await aCheckout()
    const stranger = await signIn(app, await anOwner(app), 'main')
    for (const reference of [id, providerId, randomUUID(), 'cs_test_unknown', 'x'])
      expect(outcome(await readAfter(app, stranger, reference))).toBe('404 NOT_FOUND')
  })

  it('answers 400 for an invalid id', async () => {
    const { signedIn } = await aCheckout()
    for (const id of ['', 'a/b', 'x'.repeat(256), 'a&checkout=b'])
      expect([id, outcome(await readAfter(app, signedIn, id))]).toEqual([id, '400 INVALID_QUERY'])
  })
})
