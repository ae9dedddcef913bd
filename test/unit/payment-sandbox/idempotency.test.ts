import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { checkoutTerms, SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage

beforeEach(async () => {
  stage = await SandboxStage.open()
})

afterEach(() => stage.close())

describe('Idempotency-Key', () => {
  const options = { idempotencyKey: 'key-1' }

  it('gives the first answer again', async () => {
    const first = await stage.stripe.checkout.sessions.create(checkoutTerms(), options)
    await stage.sandbox.simulate.pay(first.id)
    const again = await stage.stripe.checkout.sessions.create(checkoutTerms(), options)
    expect(again).toEqual(first)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect(stage.sandbox.checkouts()).toHaveLength(1)
  })

  it('refuses other parameters under the same key', async () => {
    await stage.stripe.customers.create({ email: 'a@example.com' }, options)
    const refused = stage.stripe.customers.create({ email: 'b@example.com' }, options)
    await expect(refused).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
  })

  it('refuses a second request while the first is under way, and takes it afterwards', async () => {
    stage.sandbox.fault = 'hang'
    const first = stage.stripe.customers.create({}, options).catch((error: Error) => error)
    while (stage.sandbox.requests.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    stage.sandbox.fault = null
    const second = stage.stripe.customers.create({}, options)
    await expect(second).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
    expect(await first).toMatchObject({ type: 'StripeConnectionError' })
    await stage.stripe.customers.create({}, options)
    expect(stage.sandbox.customers()).toHaveLength(1)
  })

  it('keeps a refusal of a missing thing, but not of a bad parameter', async () => {
    await expect(stage.stripe.checkout.sessions.create(checkoutTerms('cus_x'), options)).rejects.toThrow()
    const replayed = stage.stripe.checkout.sessions.create(checkoutTerms('cus_x'), options)
    await expect(replayed).rejects.toMatchObject({ headers: { 'idempotent-replayed': 'true' } })
    const bad = { ...checkoutTerms(), success_url: 'nowhere' }
    await expect(stage.stripe.checkout.sessions.create(bad, { idempotencyKey: 'key-2' })).rejects.toThrow()
    await stage.stripe.checkout.sessions.create(checkoutTerms(), { idempotencyKey: 'key-2' })
  })
})
