import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import {
  asSessionId,
  handleOf,
  type SessionHandle,
  type SessionId,
  sessions,
  UserAdministration,
} from '../../sources.js'
import { request, type TestResponse } from '../../support/http-request.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { saw } from '../reliability/saw.js'
import { KillableService } from '../support/killable-service.js'
import { type BesideBuilt, startBesideBuilt } from './beside-built.js'

const KILLS = 8
const LOGINS_AT_ONCE = 6
/** A login takes about half of it on an idle machine. */
const LATEST_KILL_MS = 120
const PATIENCE_MS = 120_000

let beside: BesideBuilt
let service: KillableService
beforeAll(async () => {
  beside = await startBesideBuilt()
  // A login that breaks off counts as a wrong password: it was not known to be right.
  const limits = { ATTEMPTS_PER_ACCOUNT_AND_NETWORK: '100', ATTEMPTS_PER_ACCOUNT: '100' }
  service = await KillableService.start(await beside.environment(limits))
}, PATIENCE_MS)
afterAll(async () => {
  await service?.stop()
  await beside?.stop()
})

it(
  'loses no login that was answered, and leaves no session that cannot be ended or never expires',
  async () => {
    const owner = await anOwner(beside.app)
    const answered: TestResponse[] = []
    let broken = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const logins = Array.from({ length: LOGINS_AT_ONCE }, () => login(owner.email))
      await sleep(randomInt(LATEST_KILL_MS))
      await service.kill()
      for (const answer of await Promise.all(logins)) {
        if (answer) answered.push(answer)
        else broken++
      }
    }
    expect(broken).toBeGreaterThan(0)
    answered.push((await login(owner.email)) as TestResponse)
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = (await Promise.all(answered.map(refresh))).filter(({ status }) => status !== 200)
    expect(refused).toEqual([])

    const stored = await beside.app.database.run(db =>
      db.select({ sid: sessions.sid, expiresAt: sessions.expiresAt }).from(sessions),
    )
    for (const { expiresAt } of stored) expect(expiresAt.getTime()).toBeGreaterThan(Date.now())
    const known = new Set<string>(stored.map(({ sid }) => sid))
    expect(answered.map(sidOf).filter(sid => !known.has(sid))).toEqual([])

    await beside.app.get(UserAdministration).disable(owner)
    expect(new Set((await Promise.all(answered.map(refresh))).map(({ status }) => status))).toEqual(
      new Set([401]),
    )
    saw('killed-in-login', { lost: refused.length })
  },
  PATIENCE_MS,
)

/** Null when it broke off. */
function login(email: string): Promise<TestResponse | null> {
  const body = { email, password: PASSWORD, source: 'satellite' }
  return request(service.url, { method: 'POST', path: '/api/login', body }).catch(() => null)
}

function sidOf({ json }: TestResponse): SessionHandle {
  return handleOf(asSessionId(json.sessionId) as SessionId)
}

function refresh({ json }: TestResponse): Promise<TestResponse> {
  const headers = { 'X-Session-ID': json.sessionId }
  return request(service.url, { method: 'POST', path: '/api/refresh', headers })
}
