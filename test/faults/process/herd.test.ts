import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { request, type TestResponse } from '../../support/http-request.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { saw } from '../reliability/saw.js'
import { KillableService } from '../support/killable-service.js'
import { type BesideBuilt, startBesideBuilt } from './beside-built.js'

/** Each on a connection of its own, as browsers would come, through a proxy: one network alone would get fewer. */
const CLIENTS = 3_000
const SESSIONS = 20
const PATIENCE_MS = 120_000

let beside: BesideBuilt
let service: KillableService
let sessions: SignedIn[]
beforeAll(async () => {
  beside = await startBesideBuilt()
  const owner = await anOwner(beside.app)
  sessions = []
  while (sessions.length < SESSIONS) sessions.push(await signIn(beside.app, owner, 'satellite'))
  service = await KillableService.start(await beside.environment({ TRUST_PROXY: '127.0.0.1' }))
}, PATIENCE_MS)
afterAll(async () => {
  await service?.stop()
  await beside?.stop()
})

it(
  'serves thousands who come at once after a restart, whether they come once or retry',
  async () => {
    await service.kill()
    const startedAt = performance.now()
    const clients = Array.from({ length: CLIENTS }, (_, client) => client)
    const refused = await refusedOf(clients)
    expect(refused.length).toBeLessThan(CLIENTS)
    // They come again when they were told to, as often as it takes.
    let waiting = refused
    while (waiting.length > 0) waiting = await refusedOf(waiting)
    saw('herd', { recoveredMs: performance.now() - startedAt })
  },
  PATIENCE_MS,
)

/** Who was not served, once it is time for them to come again. */
async function refusedOf(clients: readonly number[]): Promise<number[]> {
  const answers = await Promise.all(clients.map(refresh))
  const seconds = answers.flatMap(({ status, headers }) => {
    if (status === 200) return []
    expect(status).toBe(503)
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
    return Number(headers['retry-after'])
  })
  await sleep(Math.max(0, ...seconds) * 1_000)
  return clients.filter((_, index) => answers[index]?.status !== 200)
}

function refresh(client: number): Promise<TestResponse> {
  const headers = { 'X-Session-ID': (sessions[client % SESSIONS] as SignedIn).sessionId }
  return request(service.url, { method: 'POST', path: '/api/refresh', headers, timeoutMs: 60_000 })
}
