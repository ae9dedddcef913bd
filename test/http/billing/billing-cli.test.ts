import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { type Ended, run } from '../../support/processes/run-program.js'
import { anApp } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { outcome, subscribe } from '../support/api-calls.js'
import { aPlansFile, openPortal } from '../support/paying.js'
import {
  anotherSubscription,
  aSubscriber,
  openCheckout,
  type Subscriber,
  statusOf,
  withoutWebhooks,
} from '../support/subscriber.js'
import { claimsOf } from '../support/token-claims.js'

/** Three tries of the provider, and what a loaded machine needs to start. */
const ENDS_WITHIN_MS = 45_000

describe('billing at the command line, beside a running server', () => {
  const app = anApp()
  afterEach(async () => {
    app.sandbox.fault = null
    await nothingWaits()
  })

  const onItsStores = () => ({
    NODE_ENV: 'test',
    DATA_DIR: app.settings.dataDir,
    ...app.stores,
    STRIPE_API_URL: app.sandbox.url,
  })

  function mainstay(...args: string[]): Promise<Ended> {
    return runInProcess(args, onItsStores())
  }

  /** As an operator runs it. */
  function program(settings: Record<string, string>, ...args: string[]): Promise<Ended> {
    return run('dist/joined/cli.js', args, { ...onItsStores(), ...settings }, ENDS_WITHIN_MS)
  }

  /** The subscription ends at a provider that then cannot be asked: its event has come and fails. */
  async function aFailedEvent(subscriber: Subscriber): Promise<string> {
    await app.sandbox.simulate.cancel(subscriber.subscriptionId)
    app.sandbox.fault = 'refuse'
    await app.sandbox.settled()
    const { id } = app.sandbox.events().at(-1)!
    await eventually(async () => (await lastError(subscriber)) !== null, { what: 'the event to fail' })
    return id
  }

  function accountOf({ signedIn }: Subscriber): string {
    return claimsOf(signedIn.accessToken).accountId as string
  }

  async function lastError({ customerId }: Subscriber): Promise<string | null> {
    const [row] = await app.query(sql`select last_error from billing_work where customer_id = ${customerId}`)
    return (row?.last_error as string | undefined) ?? null
  }

  async function giveUp({ customerId }: Subscriber): Promise<void> {
    const parked = () =>
      app.query(sql`update billing_work set parked_at = now(), attempts = 20
        where customer_id = ${customerId} and claimed_until is null returning 1`)
    await eventually(async () => (await parked()).length === 1, { what: 'the server to be done with it' })
  }

  /** What a test has left is tried again at once. */
  async function nothingWaits(): Promise<void> {
    await app.query(sql`update billing_work set due_at = now(), parked_at = null`)
    await app.paymentsSettled()
    await eventually(async () => (await app.query(sql`select 1 from billing_work`)).length === 0)
  }

  onServers('billing 10: billing:status is content when nothing waits', async () => {
    const { code, output, errors } = await mainstay('billing:status')
    expect(errors).toBe('')
    expect(code).toBe(0)
    expect(output.split('\n')).toEqual([
      'Waiting: 0 events',
      'Due: 0 customers; failed: 0, of them given up: 0',
      'Payments go to acct_payment_sandbox, test mode',
      '',
    ])
  })

  slow(
    'billing 10: billing:status names who was given up, what bills twice and what is in no plan',
    async () => {
      const twice = await aSubscriber(app)
      const second = await anotherSubscription(app, twice.customerId)
      const failing = await aSubscriber(app)
      await aFailedEvent(failing)
      await giveUp(failing)
      const plans = await aPlansFile({
        withoutPlan: [],
        plans: [{ name: 'Team', prices: ['price_yearly'], entitlements: ['dataEntry'] }],
      })
      const settings = { PLANS_FILE: plans.path, STRIPE_PRICE_IDS: 'price_yearly' }
      const { code, output, errors } = await program(settings, 'billing:status')
      await plans.remove()
      expect(output).toMatch(/^Waiting: 1 event, the oldest since 20.*Z$/m)
      expect(output).toContain('Due: 0 customers; failed: 1, of them given up: 1')
      expect(output).toContain(`Account ${accountOf(twice)} is billed for a second subscription, ${second}`)
      expect(output).toMatch(/^price_monthly is in no plan: [1-9] subscriptions?$/m)
      expect(output).toContain('Cannot tell where payments go: ')
      expect(errors).toBe(
        'Needs attention: customers were given up, accounts are billed twice, prices are in no plan, ' +
          'the payment provider does not answer\n',
      )
      expect(code).toBe(1)
      await app.sandbox.simulate.cancel(second)
    },
  )

  slow(
    'billing:status names who cannot pay, because the provider has marked their subscription as unpaid',
    async () => {
      const payer = await aSubscriber(app)
      await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { status: 'unpaid' })
      await app.paymentsSettled()
      const { code, output, errors } = await mainstay('billing:status')
      expect(code).toBe(1)
      expect(errors).toContain('subscriptions are marked as unpaid')
      expect(output).toContain(
        `Account ${accountOf(payer)} cannot pay for ${payer.subscriptionId}, which the provider has marked as unpaid`,
      )
      await app.sandbox.simulate.cancel(payer.subscriptionId)
      await app.paymentsSettled()
      expect((await mainstay('billing:status')).errors).not.toContain('unpaid')
    },
  )

  slow('billing:status names who has paid and stays paused (B2)', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.pauseAfterFailure(payer.subscriptionId)
    await app.paymentsSettled()
    expect((await mainstay('billing:status')).errors).not.toContain('paused')
    await app.sandbox.simulate.recoverPayment(payer.subscriptionId)
    await app.paymentsSettled()
    const { code, output, errors } = await mainstay('billing:status')
    expect(code).toBe(1)
    expect(errors).toContain('subscriptions are paid but paused')
    expect(output).toContain(
      `Account ${accountOf(payer)} has nothing left to pay for ${payer.subscriptionId}, which the provider has paused`,
    )
    await app.sandbox.simulate.resume(payer.subscriptionId)
    await app.paymentsSettled()
    expect((await mainstay('billing:status')).errors).not.toContain('paused')
  })

  slow('billing:status shows what the provider refuses to users (B4)', async () => {
    const payer = await aSubscriber(app)
    const { portal } = app.sandbox.dashboard
    portal.active = false
    await openPortal(app, payer.signedIn)
    portal.active = true
    await app.auditRows()
    const { code, output, errors } = await mainstay('billing:status')
    expect(code).toBe(1)
    expect(errors).toContain('the payment provider refuses what users need')
    expect(output).toMatch(/^Refused to users, last logged at 20.*Z: No configuration provided and /m)
  })

  slow('billing:status names disputes until they are closed (B13)', async () => {
    const payer = await aSubscriber(app)
    const dispute = await app.sandbox.simulate.dispute(payer.subscriptionId)
    await app.paymentsSettled()
    const { code, output, errors } = await mainstay('billing:status')
    expect(code).toBe(1)
    expect(errors).toContain('disputes are open')
    expect(output).toContain(dispute)
    await app.sandbox.simulate.closeDispute(dispute, 'won')
    await app.paymentsSettled()
    expect((await mainstay('billing:status')).output).not.toContain(dispute)
  })

  /** Who pays at the provider already, for a system before ours. */
  async function aPayerElsewhere(metadata: Record<string, string> = {}) {
    const { id } = await app.get(Stripe).customers.create({ metadata })
    return { customerId: id, subscriptionId: await anotherSubscription(app, id) }
  }

  slow('billing:adopt links an account to who pays at the provider already, once (B1)', async () => {
    const { customerId, subscriptionId } = await aPayerElsewhere()
    const missed = await mainstay('billing:status')
    expect(missed.output).toContain(`Customer ${customerId} has bought one of our prices`)
    expect(missed.errors).toContain('customers who pay belong to no account')

    const owner = await anOwner(app)
    const signedIn = await signIn(app, owner, 'main')
    // A page of the customer that we made can no longer be paid.
    const page = await openCheckout(app, signedIn)
    const adopted = await mainstay('billing:adopt', owner.email, customerId, '--reason', 'from the old shop')
    expect(adopted).toMatchObject({ code: 0, errors: '' })
    expect(await statusOf(app, signedIn)).toBe('active')
    expect(app.sandbox.checkouts().find(({ id }) => id === page)?.status).toBe('expired')
    expect(outcome(await subscribe(app, signedIn, { priceId: 'price_yearly' }))).toBe(
      '409 ALREADY_SUBSCRIBED',
    )
    const known = app.sandbox.customers().find(({ id }) => id === customerId)
    expect(known).toMatchObject({ metadata: { accountId: owner.accountId }, email: owner.email })
    expect((await mainstay('billing:adopt', owner.accountId, customerId)).code).toBe(0)
    const rows = await app.auditRows({ action: 'billing.adopt' })
    expect(rows).toMatchObject([{ accountId: owner.accountId, detail: { reason: 'from the old shop' } }])
    expect((await mainstay('billing:status')).output).not.toContain(customerId)

    const another = await anOwner(app)
    const stolen = await mainstay('billing:adopt', another.accountId, customerId)
    expect(stolen).toMatchObject({ code: 1 })
    expect(stolen.errors).toContain(`another account in its metadata (accountId): ${owner.accountId}`)
    await app.get(Stripe).customers.update(customerId, { metadata: { accountId: '' } })
    const taken = await mainstay('billing:adopt', another.accountId, customerId)
    expect(taken.errors).toContain('is the customer of another account')
    await app.sandbox.simulate.cancel(subscriptionId)
  })

  slow(
    'billing:adopt refuses whom the key does not know, and an account that pays already (B1)',
    async () => {
      const payer = await aSubscriber(app)
      const unknown = await mainstay('billing:adopt', accountOf(payer), 'cus_of_live_mode')
      expect(unknown.errors).toBe('cus_of_live_mode does not exist in acct_payment_sandbox, test mode\n')
      const { customerId, subscriptionId } = await aPayerElsewhere()
      const { code, errors } = await mainstay('billing:adopt', accountOf(payer), customerId)
      expect(code).toBe(1)
      expect(errors).toContain(`${payer.subscriptionId} (active) as ${payer.customerId}: end that first`)
      await app.sandbox.simulate.cancel(subscriptionId)
      await app.paymentsSettled()
      expect((await mainstay('billing:status')).output).not.toContain(customerId)
    },
  )

  slow(
    'an event links the customer whose own metadata name an account without one, and no other (B1)',
    async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      const { accountId } = owner
      // What a buyer can write on a payment link is no proof.
      const { id } = await app.get(Stripe).customers.create({})
      const { sessions } = app.get(Stripe).checkout
      const line_items = [{ price: 'price_yearly', quantity: 1 }]
      const bought = await sessions.create({
        mode: 'subscription',
        customer: id,
        line_items,
        client_reference_id: accountId,
        subscription_data: { metadata: { accountId } },
        success_url: 'https://shop.test/',
      })
      await app.sandbox.simulate.pay(bought.id)
      await app.paymentsSettled()
      expect(await statusOf(app, signedIn)).toBe('none')

      await aPayerElsewhere({ accountId })
      expect(await statusOf(app, signedIn)).toBe('active')

      const victim = await aSubscriber(app)
      const { customerId } = await aPayerElsewhere({ accountId: accountOf(victim) })
      const errors = (await mainstay('billing:status')).output
      expect(errors).toContain(`Customer ${customerId} has bought one of our prices`)
      const kept = await app.query(
        sql`select 1 from billing_customers where customer_id = ${victim.customerId}`,
      )
      expect(kept).toHaveLength(1)
    },
  )

  slow('billing:events lists what waits, by state and account', async () => {
    const subscriber = await aSubscriber(app)
    const accountId = accountOf(subscriber)
    const id = await aFailedEvent(subscriber)
    const listed = await mainstay('billing:events', '--state', 'failed', '--account', accountId)
    expect(listed).toMatchObject({ code: 0 })
    expect(listed.output).toMatch(
      new RegExp(
        `^${id}  failed  customer\\.subscription\\.deleted  ${subscriber.customerId}  ${accountId}  20.*Z  .+\n1 event\n$`,
      ),
    )
    expect((await mainstay('billing:events', '--state', 'parked')).output).toBe('0 events\n')
    expect((await mainstay('billing:events', '--account', randomUUID())).output).toBe('0 events\n')
    await giveUp(subscriber)
    await app.query(sql`update billing_work set last_error = ${'it is\n\u001b[2Jdown'}
      where customer_id = ${subscriber.customerId}`)
    expect((await mainstay('billing:events')).output).toMatch(
      new RegExp(`^${id}  parked  .+  it is \ufffd\\[2Jdown\n`),
    )
  })

  slow('billing:events shows no more than it is told to, and says so', async () => {
    const accountId = accountOf(await aSubscriber(app))
    const listed = await mainstay(
      'billing:events',
      '--state',
      'handled',
      '--account',
      accountId,
      '--limit',
      '2',
    )
    expect(listed.output.split('\n').slice(2)).toEqual([
      expect.stringMatching(/^2 of ([3-9]|\d\d) events/),
      '',
    ])
    expect(listed.output).toMatch(/^evt_\w+ {2}handled {2}.* {2}(applied|not newer|none)$/m)
  })

  slow('says what the provider said when it refuses (B13)', async () => {
    const revoked = { ...onItsStores(), STRIPE_SECRET_KEY: 'sk_test_that_was_revoked' }
    const status = await runInProcess(['billing:status'], revoked)
    expect(status.output).toContain('Cannot tell where payments go: Invalid API Key provided.\n')
    expect(status.errors).toContain('the payment provider refuses the request')
    const { code, errors } = await runInProcess(['billing:forget-customers'], revoked)
    expect([code, errors]).toEqual([1, 'Invalid API Key provided.\n'])
  })

  it.each([
    ['--state', 'lost', 'Unknown state lost'],
    ['--account', '1', 'not the id of an account'],
    ['--limit', '1001', '--limit takes'],
  ])('billing:events refuses %s %s', async (option, value, reason) => {
    const { code, errors } = await mainstay('billing:events', option, value)
    expect(code).toBe(1)
    expect(errors).toContain(reason)
  })

  slow('billing:replay handles an event that was given up', async () => {
    const subscriber = await aSubscriber(app)
    const id = await aFailedEvent(subscriber)
    await giveUp(subscriber)
    app.sandbox.fault = null
    const replayed = await mainstay('billing:replay', id)
    expect(replayed).toMatchObject({ code: 0, errors: '' })
    expect(replayed.output).toContain(`Event ${id} (customer.subscription.deleted) was handled: applied`)
    expect(await statusOf(app, subscriber.signedIn)).toBe('canceled')
  })

  slow('billing:replay fails when the provider does, and says why', async () => {
    const subscriber = await aSubscriber(app)
    const id = await aFailedEvent(subscriber)
    const { code, errors } = await mainstay('billing:replay', id)
    expect(code).toBe(1)
    expect(errors).toMatch(new RegExp(`Event ${id} is still waiting: .+ It will be tried again`))
  })

  onServers('billing:replay of nothing fails', async () => {
    const { code, errors } = await mainstay('billing:replay', 'evt_nobody_knows')
    expect(code).toBe(1)
    expect(errors).toContain('There is no event evt_nobody_knows')
  })

  slow(
    'billing 1: billing:end-surplus lists what bills twice, ends it and gives the money back',
    async () => {
      const twice = await aSubscriber(app)
      const second = await anotherSubscription(app, twice.customerId)
      const line = `${second}  account ${accountOf(twice)}\n`
      const listed = await mainstay('billing:end-surplus')
      expect(listed).toMatchObject({ code: 0, errors: '' })
      expect(listed.output).toContain(line)
      expect(listed.output).toMatch(/^[1-9]\d* surplus subscriptions?$/m)

      const first = await mainstay('billing:end-surplus', twice.subscriptionId)
      expect(first).toMatchObject({ code: 1, output: '' })
      expect(first.errors).toContain(`${twice.subscriptionId} is not a second subscription of any account`)

      const ended = await mainstay('billing:end-surplus', second, '--reason', 'they wrote')
      expect(ended).toMatchObject({ code: 0, errors: '' })
      const rows = await app.auditRows({ action: 'billing.surplus.end' })
      expect(rows.at(-1)).toMatchObject({
        ...{ accountId: accountOf(twice), detail: { operator: 'command line', reason: 'they wrote' } },
      })
      expect(ended.output).toMatch(
        new RegExp(`^Refunded: 10000 usd \\(smallest unit\\) of pi_\\w+\n${second} has ended\n$`),
      )
      expect(await statusOf(app, twice.signedIn)).toBe('active')
      expect((await mainstay('billing:end-surplus')).output).not.toContain(line)
    },
  )

  slow('billing:end-surplus keeps what has become the only subscription before its event', async () => {
    const twice = await aSubscriber(app)
    const second = await anotherSubscription(app, twice.customerId)
    await withoutWebhooks(app, () => app.sandbox.simulate.cancel(twice.subscriptionId))
    const { code, output, errors } = await mainstay('billing:end-surplus', second)
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toContain(
      `${second} is not a second subscription of any account, or no longer one, so nothing was refunded`,
    )
    const kept = app.sandbox.subscriptions().find(({ id }) => id === second)
    expect(kept?.status).toBe('active')
    expect(await statusOf(app, twice.signedIn)).toBe('active')
    expect((await mainstay('billing:end-surplus')).output).not.toContain(second)
  })

  slow(
    'billing:end-surplus says what it could not give back, and what it has done all the same',
    async () => {
      const twice = await aSubscriber(app)
      const second = await anotherSubscription(app, twice.customerId)
      await app.sandbox.simulate.changeSubscription(second, {
        items: [{ quantity: 2 }],
        proration_behavior: 'always_invoice',
      })
      await app.sandbox.simulate.dispute(second)
      const { code, output, errors } = await mainstay('billing:end-surplus', second)
      expect(code).toBe(1)
      const lines = output.trimEnd().split('\n')
      expect(lines).toEqual([
        expect.stringMatching(/^Refunded: 10000 usd \(smallest unit\) of pi_\w+$/),
        expect.stringMatching(/^Failed: pi_\w+: Charge ch_\w+ has been charged back\.$/),
        `${second} has ended`,
      ])
      expect(errors).toBe('Not everything was refunded\n')
      expect((await mainstay('billing:end-surplus')).output).not.toContain(second)
    },
  )

  slow('billing:reconcile mends what no event told of, once', async () => {
    const subscriber = await aSubscriber(app)
    const accountId = accountOf(subscriber)
    await withoutWebhooks(app, () => app.sandbox.simulate.cancel(subscriber.subscriptionId))
    const mended = await mainstay('billing:reconcile')
    expect(mended).toMatchObject({ code: 0 })
    expect(mended.output).toContain(
      `Corrected: account ${accountId}, subscription ${subscriber.subscriptionId} is canceled\n`,
    )
    expect(mended.output).toMatch(/Compared [\d,]+ customers?, corrected 1\n$/)
    expect(await statusOf(app, subscriber.signedIn)).toBe('canceled')
    expect((await mainstay('billing:reconcile')).output).toMatch(/Compared [\d,]+ customers?, corrected 0\n$/)
  })

  slow('billing:reconcile fails when the provider does, and says for whom', async () => {
    const subscriber = await aSubscriber(app)
    app.sandbox.fault = 'refuse'
    const { code, errors } = await mainstay('billing:reconcile')
    expect(code).toBe(1)
    expect(errors).toMatch(new RegExp(`Customer ${subscriber.customerId} failed \\d+ times: `))
    expect(errors).toMatch(/Could not check [\d,]+ customers?; this will be tried again/)
  })
})
