import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { request, type TestResponse } from '../../support/http-request.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { saw } from '../reliability/saw.js'
import { KillableService } from '../support/killable-service.js'
import { type BesideBuilt, startBesideBuilt } from './beside-built.js'

/** Each on a connection of its own, as browsers would come. */
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
  service = await KillableService.start(await beside.environment())
}, PATIENCE_MS)
afterAll(async () => {
  await service?.stop()
  await beside?.stop()
})

it(
  'serves thousands who come at once after a restart, or tells them when to come again',
  async () => {
    await service.kill()
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => refresh(client)))
    const answeredMs = performance.now() - startedAt
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { status, headers } of refused) {
      expect(status).toBe(503)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    // The first who come again.
    expect(await refresh(0)).toMatchObject({ status: 200 })
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(CLIENTS / 2)
    saw('herd', { answeredMs })
  },
  PATIENCE_MS,
)

function refresh(client: number): Promise<TestResponse> {
  const headers = { 'X-Session-ID': (sessions[client % SESSIONS] as SignedIn).sessionId }
  return request(service.url, { method: 'POST', path: '/api/refresh', headers, timeoutMs: 60_000 })
}
