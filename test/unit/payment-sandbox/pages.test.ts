import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { monthsAfter } from '../../../packages/payment-sandbox/src/state/clock.js'
import { checkoutTerms, clickOnPage, SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage

beforeEach(async () => {
  stage = await SandboxStage.open()
})

afterEach(() => stage.close())

describe('Pages', () => {
  it('pays: completes the checkout once and leads to the success URL', async () => {
    const { id, url } = await stage.openCheckout()
    const clicks = [await clickOnPage(url, 'pay'), await clickOnPage(url, 'pay')]
    expect(clicks.map(({ status }) => status)).toEqual([303, 303])
    expect(clicks[1]!.headers.get('location')).toBe(`https://main.example/done?checkout=${id}`)
    expect(stage.sandbox.subscriptions()).toHaveLength(1)
    const paid = await stage.stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null })
    expect(paid.subscription).toMatchObject({ status: 'active', metadata: { accountId: 'account-1' } })
    const [item] = (paid.subscription as Stripe.Subscription).items.data
    expect(item!.current_period_end).toBe(monthsAfter(item!.current_period_start, 1))
    expect(await (await fetch(url!)).text()).toContain('This checkout is complete')
  })

  it('cancels: leads to the cancel URL and leaves the checkout open', async () => {
    const { id, url } = await stage.openCheckout()
    expect((await clickOnPage(url, 'cancel')).headers.get('location')).toBe('https://main.example/cancelled')
    expect(await stage.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' })
  })

  it('makes the customer when the checkout was started without one', async () => {
    const { id } = await stage.stripe.checkout.sessions.create({
      ...checkoutTerms(),
      customer_email: 'new@example.com',
    })
    await stage.sandbox.simulate.pay(id)
    const [customer] = stage.sandbox.customers()
    expect(customer).toMatchObject({ email: 'new@example.com' })
    expect(stage.sandbox.subscriptions()[0]!.customer).toBe(customer!.id)
    await expect(stage.sandbox.simulate.pay(id)).rejects.toThrow('complete')
  })

  it('escapes hostile text and allows no script', async () => {
    const hostile = '"><script>alert(1)</script>\'&'
    const customer = await stage.stripe.customers.create({ email: hostile })
    const cancelUrl = 'https://main.example/?x="><script>alert(1)</script>'
    const { id, url } = await stage.stripe.checkout.sessions.create({
      ...checkoutTerms(customer.id),
      cancel_url: cancelUrl,
    })
    const page = await fetch(url!)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const body = await page.text()
    expect(body).toContain('no real money')
    expect(body).toContain('&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;')
    await stage.sandbox.simulate.expire(id)
    const closed = await (await fetch(url!)).text()
    expect(closed).toContain('This checkout has expired')
    expect(body + closed).not.toContain('<script')
  })

  it('knows no other page', async () => {
    const { url } = await stage.openCheckout()
    const paths = ['/other', '/pay', '/pay/cs_test_<script>', `${new URL(url!).pathname}/other`]
    const pages = await Promise.all(paths.map(path => fetch(stage.sandbox.url + path)))
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})
