import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  BillingQueue,
  BillingReconciler,
  BillingWorker,
  CustomerSnapshots,
  CustomerSync,
  unavailable,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { ageLeases } from '../../support/passing-time.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { anEvent, postEvent } from '../support/signed-event.js'
import { aSubscriber, type Subscriber, statusOf } from '../support/subscriber.js'

const app = anApp()
let payer: Subscriber
beforeAll(async () => {
  payer = await aSubscriber(app)
})

afterEach(async () => {
  jest.restoreAllMocks()
  app.sandbox.fault = null
  app.sandbox.faultOnlyFor = null
  await app.query(sql`update billing_work set due_at = now(), parked_at = null, claimed_until = null`)
  await app.paymentsSettled()
})

function ask(customerId: string) {
  return app.get(BillingQueue).add(customerId)
}

async function workOf(customerId: string) {
  const [row] = await app.query(sql`select * from billing_work where customer_id = ${customerId}`)
  return row
}

async function waitingOf(customerId: string): Promise<number> {
  const [row] = await app.query(
    sql`select count(*)::int as events from provider_events where customer_id = ${customerId} and effect is null`,
  )
  return row?.events as number
}

function eventOf(customer: string) {
  return anEvent({ data: { object: { object: 'subscription', id: `sub_${randomUUID()}`, customer } } })
}

function callsAbout(customerId: string): number {
  return app.sandbox.requests.filter(({ path, query }) => `${path}?${query}`.includes(customerId)).length
}

describe('billing 3a: a claim that ran out', () => {
  let work: BillingQueue
  let claim: BillingQueue['claim']
  /** The claims are this test's alone. */
  beforeEach(() => {
    work = app.get(BillingQueue)
    claim = work.claim.bind(work)
    jest.spyOn(work, 'claim').mockResolvedValue([])
  })

  function finish(claimed: Awaited<ReturnType<typeof claim>>[number]) {
    return app.database.transaction(transaction => work.finish(transaction, claimed))
  }

  /** Times are in whole milliseconds, so one that has come may be half of one away. */
  const claimed = () =>
    eventually(
      async () => {
        const [due] = await claim(1, 1)
        if (!due) throw new Error('nothing is due')
        return due
      },
      { everyMs: 1 },
    )

  const runOut = () => app.query(sql`update billing_work set claimed_until = clock_timestamp()`)

  it('neither finishes, nor puts off, nor frees what another worker has', async () => {
    await ask('cus_claimed_twice')
    const first = await claimed()
    expect(await claim(1, 1)).toEqual([])
    await runOut()
    const second = await claimed()
    expect(second).toMatchObject({ customerId: 'cus_claimed_twice', version: 1 })
    const before = await workOf('cus_claimed_twice')
    await finish(first)
    expect(await work.retry(first, 'too late')).toBe(false)
    await work.release(first)
    expect(await workOf('cus_claimed_twice')).toEqual(before)
    await finish(second)
    expect(await workOf('cus_claimed_twice')).toBeUndefined()
  })

  it('is not finished when there was another reason to look meanwhile', async () => {
    await ask('cus_asked_again')
    const first = await claimed()
    await ask('cus_asked_again')
    await finish(first)
    expect(await workOf('cus_asked_again')).toMatchObject({ claim: null })
    const second = await claimed()
    await finish(second)
    expect(await workOf('cus_asked_again')).toBeUndefined()
  })

  it('is neither put off nor given up when there was another reason to look meanwhile', async () => {
    await ask('cus_asked_late')
    await app.query(sql`update billing_work set attempts = 19 where customer_id = 'cus_asked_late'`)
    const work = await claimed()
    await ask('cus_asked_late')
    expect(await app.get(BillingQueue).retry(work, 'The provider is down')).toBe(false)
    expect(await workOf('cus_asked_late')).toMatchObject({ claim: null, parked_at: null, attempts: 0 })
    const again = await claimed()
    expect(again).toMatchObject({ customerId: 'cus_asked_late' })
    await finish(again)
  })

  it('does not finish work that was recreated, whose version begins at 1 again', async () => {
    await ask('cus_made_anew')
    const first = await claimed()
    await runOut()
    const second = await claimed()
    await finish(second)
    await ask('cus_made_anew')
    await finish(first)
    expect(Number((await workOf('cus_made_anew'))?.version)).toBe(1)
    const third = await claimed()
    await finish(third)
  })
})

describe('billing 3a: a look without end', () => {
  slow('is given up in time, and does nothing when its answer comes after all', async () => {
    const limit = new AbortController()
    jest.spyOn(AbortSignal, 'timeout').mockImplementationOnce(() => limit.signal)
    const { hasLooked, goOn } = holdLooks(({ customerId }) => customerId === payer.customerId, 1)
    const event = eventOf(payer.customerId)
    await postEvent(app, event)
    await hasLooked
    limit.abort(new Error('30 seconds are over'))
    const failed = await eventually(async () => {
      const work = await workOf(payer.customerId)
      return work?.attempts === 1 && work
    })
    expect(failed).toMatchObject({ claim: null, last_error: '30 seconds are over' })
    goOn()
    await eventually(async () => (await waitingOf(payer.customerId)) === 0)
    await app.paymentsSettled()
    expect(await workOf(payer.customerId)).toBeUndefined()
  })
})

describe('billing 3b: more events than one transaction handles', () => {
  slow.each([
    ['of a customer of ours', 10_000, () => payer.customerId],
    ['of a customer whom no account has', 1_001, () => 'cus_of_somebody_else'],
  ])('%s are all handled: %d', async (_, number, customerOf) => {
    const customer = customerOf()
    await app.query(sql`
      insert into provider_events (id, type, customer_id, event, created_at, received_at)
      select 'evt_many_' || ${customer}::text || number, 'customer.subscription.updated', ${customer}::text,
        '{"data": {"object": {}}}', now(), now()
      from generate_series(1, ${number}::int) as number`)
    await ask(customer)
    await app.paymentsSettled()
    expect(await waitingOf(customer)).toBe(0)
    expect(await workOf(customer)).toBeUndefined()
  })

  it('gives one that has no work some within a minute', async () => {
    const customer = payer.customerId
    await app.query(sql`
      insert into provider_events (id, type, customer_id, event, created_at, received_at)
      values ('evt_forgotten', 'customer.subscription.updated', ${customer}, '{"data": {"object": {}}}', now(), now())`)
    await app.paymentsSettled()
    expect(await waitingOf(customer)).toBe(1)
    await app.get(BillingWorker).findUnqueued()
    await app.paymentsSettled()
    expect(await waitingOf(customer)).toBe(0)
  })
})

describe('billing model: two workers with the same event', () => {
  it('mark it once', async () => {
    const { underWay, goOn } = holdLooks(({ customerId }) => customerId === payer.customerId)
    const { id } = eventOf(payer.customerId)
    await app.query(sql`
      insert into provider_events (id, type, customer_id, event, created_at, received_at)
      values (${id}, 'customer.subscription.updated', ${payer.customerId}, '{"data": {"object": {}}}', now(), now())`)
    const sync = app.get(CustomerSync)
    const looks = [sync.syncNow(payer.customerId), sync.syncNow(payer.customerId)]
    await eventually(() => underWay() === 2)
    goOn()
    await Promise.all(looks)
    expect((await app.auditRows()).filter(({ detail }) => detail.event === id)).toHaveLength(1)
  })
})

describe('billing 10: a reconcile that failed', () => {
  it('begins again the same night, and once it is done it is done for the night', async () => {
    const reconciler = app.get(BillingReconciler)
    const asked = jest.spyOn(app.get(BillingQueue), 'addRoutine')
    asked.mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
    // Nobody has taken the lease of this night.
    await ageLeases(app, 24 * 60 * 60)
    const tries: number[] = []
    for (const minutes of [0, 1, 9, 10, 150]) {
      await ageLeases(app, minutes * 60)
      await reconciler.everyNight()
      tries.push(asked.mock.calls.length)
    }
    // Its customers fit into one page. Another replica that is a minute late finds the lease taken.
    expect(tries).toEqual([1, 1, 2, 2, 2])
    await ageLeases(app, 20 * 60 * 60)
    await reconciler.everyNight()
    expect(asked).toHaveBeenCalledTimes(3)
  })
})

describe('billing 4: one customer does not hold up another', () => {
  let others: Subscriber[]
  beforeAll(async () => {
    others = await Promise.all(Array.from({ length: 5 }, () => aSubscriber(app)))
  })

  slow(
    'while the provider hangs for one, each event of another is handled by the next free slot',
    async () => {
      const slow = await aSubscriber(app)
      app.sandbox.fault = 'hang'
      app.sandbox.faultOnlyFor = slow.customerId
      await postEvent(app, eventOf(slow.customerId))
      await eventually(async () => (await workOf(slow.customerId))?.claim)
      const { claim } = (await workOf(slow.customerId))!
      for (let count = 0; count < 10; count++) {
        await postEvent(app, eventOf(payer.customerId))
        await eventually(async () => (await waitingOf(payer.customerId)) === 0)
      }
      // All the while the same look at the other was under way.
      expect(await workOf(slow.customerId)).toMatchObject({ claim, attempts: 0 })
    },
  )

  slow('a comparison of all customers comes after what has just happened', async () => {
    const { underWay, goOn } = holdLooks(({ isRoutine }) => isRoutine)
    const compared = others.map(({ customerId }) => customerId)
    await app.get(BillingQueue).addRoutine(compared, 0, 0)
    await eventually(() => underWay() === 4)
    await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { status: 'past_due' })
    await eventually(async () => (await statusOf(app, payer.signedIn)) === 'past_due')
    expect(underWay()).toBe(4)
    goOn()
    await app.paymentsSettled()
    await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { status: 'active' })
  })

  slow('a comparison asks the provider once of whose subscription has ended', async () => {
    const ended = await aSubscriber(app)
    await app.sandbox.simulate.cancel(ended.subscriptionId)
    await app.paymentsSettled()
    const before = callsAbout(ended.customerId)
    await app.get(BillingReconciler).reconcile(Number.POSITIVE_INFINITY)
    await app.paymentsSettled()
    expect(callsAbout(ended.customerId)).toBe(before + 1)
  })

  it('billing 9: makes no call for an event of an unknown customer', async () => {
    await postEvent(app, eventOf('cus_of_another_shop'))
    await app.paymentsSettled()
    expect(await waitingOf('cus_of_another_shop')).toBe(0)
    expect(callsAbout('cus_of_another_shop')).toBe(0)
  })
})

/** Looks that meet `condition` take until `goOn`: the first `most` of them, or all. */
function holdLooks(
  condition: (asked: { customerId: string; isRoutine: boolean }) => boolean,
  most = Number.POSITIVE_INFINITY,
) {
  const looks = app.get(CustomerSnapshots)
  const { fetch: look } = looks
  let held = 0
  let looked = () => {}
  let goOn = () => {}
  const hasLooked = new Promise<void>(resolve => {
    looked = resolve
  })
  const released = new Promise<void>(resolve => {
    goOn = resolve
  })
  jest.spyOn(looks, 'fetch').mockImplementation(async (customerId, waitsAs, isRoutine) => {
    const found = await look.call(looks, customerId, waitsAs, isRoutine)
    if (held >= most || !condition({ customerId, isRoutine })) return found
    held++
    looked()
    await released
    return found
  })
  return { hasLooked, goOn, underWay: () => held }
}
