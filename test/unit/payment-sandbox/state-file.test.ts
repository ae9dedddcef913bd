import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { SandboxStage } from './support/sandbox-stage.js'

let stage: SandboxStage

beforeEach(async () => {
  stage = await SandboxStage.open()
})

afterEach(() => stage.close())

describe('State file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'payment-sandbox-'))
  })
  afterEach(async () => {
    await stage.sandbox.stop()
    await rm(folder, { recursive: true })
  })

  it('survives a restart: objects, keys, and events that have not arrived', async () => {
    const file = join(folder, 'data', 'state.json')
    await stage.start(file)
    const customer = await stage.stripe.customers.create({ name: 'Zoë' }, { idempotencyKey: 'key-1' })
    const checkout = await stage.openCheckout()
    stage.statuses = Array(100).fill(500)
    const { id } = await stage.subscribe()
    const before = stage.sandbox.subscriptions()
    await stage.start(file)
    expect(await readdir(join(folder, 'data'))).toEqual(['state.json'])
    expect(stage.sandbox.subscriptions()).toEqual(before)
    expect(await stage.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
    expect(await stage.stripe.customers.create({ name: 'Zoë' }, { idempotencyKey: 'key-1' })).toEqual(
      customer,
    )
    const { url } = await stage.stripe.checkout.sessions.retrieve(checkout.id)
    expect((await fetch(url!)).status).toBe(200)
    stage.statuses = []
    await stage.sandbox.settled()
    expect(stage.sandbox.events().map(event => event.pending_webhooks)).toEqual([0, 0, 0])
  })

  it('refuses a file that is not its own', async () => {
    const file = join(folder, 'state.json')
    for (const content of ['{"customers":', '{}']) {
      await writeFile(file, content)
      await expect(stage.start(file)).rejects.toThrow('delete it to start afresh')
    }
  })

  it('keeps invoices, disputes, portals, prorations and deleted customers', async () => {
    const stateFile = join(folder, 'state.json')
    await stage.start(stateFile)
    const [{ id }, { id: other }] = [await stage.subscribe(), await stage.subscribe()]
    const { customer, items } = await stage.stripe.subscriptions.retrieve(id)
    const portal = await stage.stripe.billingPortal.sessions.create({ customer: customer as string })
    const dispute = await stage.sandbox.simulate.dispute(id)
    await stage.stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity: 2 }] })
    const { customer: deleted } = await stage.stripe.subscriptions.retrieve(other)
    await stage.sandbox.simulate.deleteCustomer(deleted as string)
    await stage.start(stateFile)
    expect(await stage.stripe.customers.retrieve(deleted as string)).toMatchObject({ deleted: true })
    expect((await stage.stripe.invoices.list({ customer: customer as string })).data).toHaveLength(1)
    expect(await stage.stripe.subscriptions.list({ customer: customer as string })).toMatchObject({
      data: [{ id }],
    })
    expect((await fetch(`${stage.sandbox.url}${new URL(portal.url).pathname}`)).status).toBe(200)
    await stage.sandbox.simulate.closeDispute(dispute, 'won')
    await stage.sandbox.simulate.failPayment(id)
    const [invoice] = (await stage.stripe.invoices.list({ customer: customer as string })).data
    expect(invoice).toMatchObject({ status: 'open', total: 3000 })
  })

  it('opens one of before there were invoices', async () => {
    const stateFile = join(folder, 'state.json')
    await stage.start(stateFile)
    const { id } = await stage.subscribe()
    await stage.sandbox.stop()
    const { customers, checkouts, subscriptions, events, answers } = JSON.parse(
      await readFile(stateFile, 'utf8'),
    )
    await writeFile(stateFile, JSON.stringify({ customers, checkouts, subscriptions, events, answers }))
    await stage.start(stateFile)
    const old = await stage.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    expect(old.latest_invoice).toMatch(/^in_/)
    const { url } = await stage.stripe.billingPortal.sessions.create({ customer: old.customer as string })
    expect(await (await fetch(url)).text()).toContain('You have no invoices yet.')
    await stage.sandbox.simulate.failPayment(id)
    await stage.sandbox.simulate.recoverPayment(id)
    expect(await stage.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  })
})
