import { get } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { monthsAfter } from '../../sources.js'
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

  it.each([
    ['localhost', 200],
    ['pay.localhost:80', 200],
    ['[::1]:80', 200],
    ['192.0.2.7:80', 200],
    ['sandbox:80', 200],
    ['rebound.example', 421],
    ['localhost.rebound.example:80', 421],
    ['rebound.example.:80', 421],
    ['rebound.example@', 421],
  ])('answers the host %j with %d: page, control and API (S11)', async (host, status) => {
    const { port } = new URL(stage.sandbox.url)
    const statusOf = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, authorization: 'Bearer sk_test_for_the_sandbox' }
        get({ port, path, headers }, reply => resolve(reply.resume().statusCode)).on('error', reject)
      })
    for (const path of ['/', '/v1/customers']) expect([path, await statusOf(path)]).toEqual([path, status])
  })

  it('has its notice in a landmark, where people who listen to the page find it (A2)', async () => {
    const { url } = await stage.openCheckout()
    const [, notice] = /<body>\s*<(\w+) class="note">/.exec(await (await fetch(url!)).text()) ?? []
    expect(notice).toBe('header')
  })

  it('cancels: leads to the cancel URL and leaves the checkout open', async () => {
    const { id, url } = await stage.openCheckout()
    expect((await clickOnPage(url, 'cancel')).headers.get('location')).toBe('https://main.example/cancelled')
    expect(await stage.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' })
  })

  it('declines a card: the page stays and says so, nothing is paid, and another card can be used', async () => {
    const { id, url } = await stage.openCheckout()
    const before = stage.sandbox.events()
    const declined = await clickOnPage(url, 'decline')
    const page = await fetch(declined.headers.get('location')!)
    expect([declined.status, page.status]).toEqual([303, 200])
    expect(await page.text()).toContain('<p class="alert" role="alert">Your card was declined.</p>')
    expect(await (await fetch(url!)).text()).not.toContain('Your card was declined.')
    expect(stage.sandbox.events()).toEqual(before)
    expect(stage.sandbox.subscriptions()).toEqual([])
    expect(await stage.stripe.checkout.sessions.retrieve(id)).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
    })
    expect((await clickOnPage(url, 'pay')).headers.get('location')).toContain('/done?checkout=')
    expect(await (await clickOnPage(url, 'decline')).text()).toContain('This checkout is complete')
    expect(stage.sandbox.subscriptions()).toHaveLength(1)
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
    const hostile = '"><script>alert(1)</script>\'&@example.com'
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
    expect(body).toContain('&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;@example.com')
    await stage.sandbox.simulate.expire(id)
    const closed = await (await fetch(url!)).text()
    expect(closed).toContain('This checkout has expired')
    expect(body + closed).not.toContain('<script')
  })

  it('keeps browsers from asking for an icon that its policy would block (integration 18)', async () => {
    const page = await fetch((await stage.openCheckout()).url!)
    expect(await page.text()).toContain('<link rel="icon" href="data:,">')
    expect(page.headers.get('content-security-policy')).toContain(' data:;')
  })

  it('has the name, logo, colours and typeface of the business, if there is one', async () => {
    const color = { color: '#b91c1c', ink: '#ffffff' }
    const brand = {
      name: 'Rose & <Sons>',
      logoUrl: 'https://cdn.test/rose.svg',
      font: Buffer.from('wOF2'),
      accent: { light: color, dark: color },
    }
    const { url } = await stage.openCheckout()
    expect(await (await fetch(url!)).text()).not.toContain('class="brand"')
    const branded = await SandboxStage.open({ brand })
    try {
      const page = await fetch((await branded.openCheckout()).url!)
      const body = await page.text()
      expect(body).toContain('Rose &#38; &#60;Sons&#62;</p>')
      expect(body).toContain('<img src="https://cdn.test/rose.svg"')
      expect(body).toContain('--button: #b91c1c; --button-text: #ffffff;')
      expect(page.headers.get('content-security-policy')).toContain('img-src https: data:')
      expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
      const [, fontPath = ''] = /src: url\("([^"]+)"\)/.exec(body) ?? []
      const font = await fetch(branded.sandbox.url + fontPath)
      expect([font.headers.get('content-type'), await font.text()]).toEqual(['font/woff2', 'wOF2'])
      expect((await fetch(stage.sandbox.url + fontPath)).status).toBe(404)
    } finally {
      await branded.close()
    }
  })

  it('is in English, and keeps the locale that a session was opened with', async () => {
    const customer = await stage.stripe.customers.create({ email: 'rosa@example.com' })
    const session = { ...checkoutTerms(customer.id), locale: 'de' } as const
    const { url, locale } = await stage.stripe.checkout.sessions.create(session)
    const page = await (await fetch(url!, { headers: { 'Accept-Language': 'de' } })).text()
    expect([locale, page]).toEqual(['de', expect.stringContaining('<html lang="en">')])
    const terms = { customer: customer.id, return_url: 'https://main.example/', locale: 'de' } as const
    expect(await stage.stripe.billingPortal.sessions.create(terms)).toMatchObject({ locale: 'de' })
  })

  describe('with the options of a checkout', () => {
    const post = (url: string | null, fields: Record<string, string>) =>
      fetch(url!, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    const read = async (url: string | null) => (await fetch(url!)).text()

    it('takes a promotion code off this payment and the next (B5)', async () => {
      const { id, url } = await stage.openCheckout({ allow_promotion_codes: true })
      const wrong = await post(`${url}/promotion`, { code: 'OTHER' })
      expect(await read(wrong.headers.get('location'))).toContain('This code is invalid.')
      await post(`${url}/promotion`, { code: 'sandbox10' })
      expect(await read(url)).toMatch(/SANDBOX10 is applied[\s\S]*Pay \$9\.00/)
      await clickOnPage(url, 'pay')
      const paid = await stage.stripe.checkout.sessions.retrieve(id, { expand: ['invoice'] })
      expect(paid).toMatchObject({ amount_total: 900, total_details: { amount_discount: 100 } })
      expect(paid.invoice).toMatchObject({ subtotal: 1000, total: 900, amount_paid: 900 })
    })

    it('adds tax for the address that is given, and saves it with the customer (B5)', async () => {
      const { id, url, customer } = await stage.openCheckout({
        automatic_tax: { enabled: true },
        customer_update: { address: 'auto' },
      })
      expect((await clickOnPage(url, 'pay')).status).toBe(400)
      expect(await read(url)).toMatch(/Tax[\s\S]*Pay \$12\.00[\s\S]*/)
      const address = { line1: 'Weg 1', postal_code: '10115', city: 'Berlin', country: 'DE' }
      expect((await post(`${url}/pay`, address)).status).toBe(303)
      const paid = await stage.stripe.checkout.sessions.retrieve(id, { expand: ['invoice'] })
      expect(paid).toMatchObject({
        amount_subtotal: 1000,
        amount_total: 1200,
        automatic_tax: { enabled: true, status: 'complete' },
        customer_details: { address },
      })
      expect(paid.invoice).toMatchObject({ total: 1200, total_taxes: [{ amount: 200 }] })
      expect(await stage.stripe.customers.retrieve(customer as string)).toMatchObject({ address })
    })

    it('asks for consent, phone and tax id, and returns them (B5)', async () => {
      const { id, url, customer } = await stage.openCheckout({
        consent_collection: { promotions: 'auto', terms_of_service: 'required' },
        phone_number_collection: { enabled: true },
        tax_id_collection: { enabled: true, required: 'if_supported' },
        customer_update: { name: 'auto' },
      })
      const fields = { phone: '+4930123', tax_id: 'DE1', business_name: 'Rosa AG' }
      const refused = await post(`${url}/pay`, fields)
      expect([refused.status, await refused.text()]).toEqual([
        400,
        expect.stringContaining('what is missing'),
      ])
      await post(`${url}/pay`, { ...fields, terms: 'on' })
      expect(await stage.stripe.checkout.sessions.retrieve(id)).toMatchObject({
        status: 'complete',
        consent: { promotions: 'opt_out', terms_of_service: 'accepted' },
        customer_details: { phone: '+4930123', tax_ids: [{ value: 'DE1' }], business_name: 'Rosa AG' },
      })
      expect(await stage.stripe.customers.retrieve(customer as string)).toMatchObject({ name: 'Rosa AG' })
    })

    it('requires an address where that is set, and has the payment methods that are chosen (B5)', async () => {
      const { url, payment_method_types } = await stage.openCheckout({
        billing_address_collection: 'required',
        excluded_payment_method_types: ['us_bank_account'],
        payment_method_configuration: 'pmc_own',
      })
      expect(payment_method_types).toEqual(['card'])
      const page = await read(url)
      expect(page).toContain('name="postal_code" autocomplete="postal-code" required')
      expect(page).toContain('Payment methods: card, pmc_own.')
      expect(page).not.toContain('/later')
      const { url: debitOnly } = await stage.openCheckout({ allowed_payment_method_types: ['sepa_debit'] })
      expect(await read(debitOnly)).toMatch(/Payment methods: sepa_debit\.[\s\S]*\/later/)
      expect(await read(debitOnly)).not.toContain('/decline')
    })

    it('asks for no card where nothing is due and none is required (B5)', async () => {
      const { url } = await stage.openCheckout({
        payment_method_collection: 'if_required',
        subscription_data: { trial_period_days: 14 },
      })
      const page = await read(url)
      expect(page).toContain('No card is needed today.')
      expect(page).not.toContain('/decline')
    })
  })

  it('shows an issued invoice at its address, and as a PDF', async () => {
    const { id } = await stage.subscribe()
    const { data } = await stage.stripe.invoices.list({ subscription: id })
    const { hosted_invoice_url: url, invoice_pdf: pdfUrl, number } = data[0]!
    expect(await (await fetch(url!)).text()).toContain(`Invoice ${number}`)
    const pdf = await fetch(pdfUrl!)
    const text = await pdf.text()
    expect([pdf.headers.get('content-type'), text.slice(0, 8)]).toEqual(['application/pdf', '%PDF-1.4'])
    const table = Number(/startxref\n(\d+)/.exec(text)![1])
    expect(text.slice(table, table + 4)).toBe('xref')
    expect(text).toContain('(Total: $10.00) Tj')
    for (const path of [`${url}/other`, `${pdfUrl}/other`, `${url}x`])
      expect((await fetch(path)).status).toBe(404)
  })

  it('knows no other page', async () => {
    const { url } = await stage.openCheckout()
    const paths = ['/other', '/pay', '/pay/cs_test_<script>', `${new URL(url!).pathname}/other`]
    const pages = await Promise.all(paths.map(path => fetch(stage.sandbox.url + path)))
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})
