import { expect } from '@jest/globals'
import { eq, isNull, sql } from 'drizzle-orm'
import { accounts, auditLog, billingCustomers, providerEvents, subscriptions } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { type Answer, afterwards, type Check, type Scene } from '../scene.js'

/** Sentences about what an event of the payment provider did. */
export const webhookChecks: Readonly<Record<string, Check>> = {
  'subscription unchanged': async scene => {
    const before = await subscriptionOf(scene)
    return async () => {
      expect(await subscriptionOf(scene)).toEqual(before)
      expect(await eventRows(scene)).toEqual([])
    }
  },

  'state applied once; second answered 200': afterwards(isAppliedOnce),
  'applied once; never 500': afterwards(isAppliedOnce),

  'nothing created; alert counter +1': async scene => {
    // Earlier cases may have left events that are still to be handled.
    await eventually(async () => (await unhandledEvents(scene)) === 0, {
      what: 'the events of earlier cases',
    })
    const before = await recordsOf(scene)
    return async () => {
      await isHandled(scene)
      expect(await recordsOf(scene)).toEqual(before)
      expect(await eventRows(scene)).toMatchObject([{ effect: 'unknown customer' }])
      const warnings = async () =>
        (await scene.service.logLines()).filter(line => /customer that belongs to no account/.test(line))
      // Logged after the commit.
      await eventually(async () => (await warnings()).length > 0)
      expect(await warnings()).toHaveLength(1)
    }
  },

  'subscription NOT activated': afterwards(async scene => {
    await isHandled(scene)
    expect(await subscriptionOf(scene)).toEqual([])
    expect(await eventRows(scene)).toMatchObject([{ effect: 'none' }])
  }),
}

async function isAppliedOnce(scene: Scene, answers: readonly Answer[]): Promise<void> {
  const { repeat = 1, parallel = 1 } = scene.case
  expect(answers.map(({ status }) => status)).toEqual(Array(repeat * parallel).fill(200))
  await isHandled(scene)
  expect(await subscriptionOf(scene)).toMatchObject([{ status: 'active' }])
  expect(await eventRows(scene)).toMatchObject([{ effect: 'applied' }])
  const isOfEvent = eq(sql`${auditLog.detail}->>'event'`, eventId(scene))
  expect(await scene.service.query(db => db.select().from(auditLog).where(isOfEvent))).toHaveLength(1)
}

function unhandledEvents(scene: Scene): Promise<number> {
  return scene.service.query(db => db.$count(providerEvents, isNull(providerEvents.effect)))
}

/** The answer does not wait for what the event leads to. */
function isHandled(scene: Scene) {
  return eventually(
    async () => {
      const rows = await eventRows(scene)
      return rows.length > 0 && rows.every(({ effect }) => effect !== null)
    },
    { what: 'the event to be handled' },
  )
}

/** The subscription of the account that the event names, as a list of one or none. */
function subscriptionOf({ case: theCase, service }: Scene) {
  const { data } = theCase.body as { data: { object: { client_reference_id: string } } }
  const isOfAccount = eq(subscriptions.accountId, data.object.client_reference_id)
  return service.query(db => db.select().from(subscriptions).where(isOfAccount))
}

function eventRows(scene: Scene) {
  return scene.service.query(db =>
    db
      .select()
      .from(providerEvents)
      .where(eq(providerEvents.id, eventId(scene))),
  )
}

function eventId({ case: theCase }: Scene): string {
  return (theCase.body as { id: string }).id
}

/** How many accounts, customers and subscriptions there are. */
function recordsOf({ service }: Scene): Promise<number[]> {
  const tables = [accounts, billingCustomers, subscriptions]
  return Promise.all(tables.map(table => service.query(db => db.$count(table))))
}
