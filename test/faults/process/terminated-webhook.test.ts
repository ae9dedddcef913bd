import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import pg from 'pg'
import Stripe from 'stripe'
import { BuiltServer } from '../../conformance/service/built-server.js'
import { PROVIDER } from '../../conformance/service/environment.js'
import { anEvent } from '../../http/support/signed-event.js'
import { request } from '../../support/http-request.js'
import { saw } from '../reliability/saw.js'
import { slowCommits } from '../support/slow-commits.js'
import { type BesideBuilt, startBesideBuilt } from './beside-built.js'

const EVENTS = 6
const COMMIT_MS = 600
const PATIENCE_MS = 60_000

let beside: BesideBuilt
let database: pg.Client
beforeAll(async () => {
  beside = await startBesideBuilt()
  database = new pg.Client({ connectionString: beside.app.stores.DATABASE_URL })
  await database.connect()
  await slowCommits(database, COMMIT_MS)
}, PATIENCE_MS)
afterAll(async () => {
  await database?.end()
  await beside?.stop()
})

it(
  'answers every event it received, keeps what it answered, and applies each once however often it comes',
  async () => {
    const stopping = await BuiltServer.start(await beside.environment())
    const events = Array.from({ length: EVENTS }, () => anEvent())
    const posts = events.map(event => post(stopping, event))
    await sleep(COMMIT_MS / 3)
    expect(await kept()).toEqual([])
    const ended = stopping.end()
    expect(await Promise.all(posts)).toEqual(Array(EVENTS).fill(200))
    expect(await ended).toBe(0)
    const ids = events.map(({ id }) => id).sort()
    const afterwards = await kept()
    expect(afterwards).toEqual(ids)
    await stopping.stop()

    const next = await BuiltServer.start(await beside.environment())
    try {
      expect(await Promise.all(events.map(event => post(next, event)))).toEqual(Array(EVENTS).fill(200))
      expect(await kept()).toEqual(ids)
    } finally {
      await next.stop()
    }
    saw('sigterm-in-webhook', { lost: ids.length - afterwards.length })
  },
  PATIENCE_MS,
)

async function kept(): Promise<string[]> {
  const { rows } = await database.query('select id from provider_events order by id')
  return rows.map(({ id }) => id)
}

async function post({ url }: BuiltServer, event: object): Promise<number> {
  const body = JSON.stringify(event)
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: PROVIDER.webhookSecret,
  })
  const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature }
  return (await request(url, { method: 'POST', path: '/api/webhooks/stripe', headers, body })).status
}
