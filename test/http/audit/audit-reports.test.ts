import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Database } from '../../../src/database/database.js'
import type { User } from '../../../src/users/user.js'
import { login } from '../../faults/support/requests.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'

let app: TestApp
let owner: User
let session: SignedIn
beforeAll(async () => {
  app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
  owner = await anOwner(app)
  session = await signIn(app, owner, 'main')
})
afterAll(() => app?.stop())

describe('fleet 10: while many reports are slow', () => {
  test('logins go on, and a report too many is 503 TOO_BUSY', async () => {
    const database = app.app.get(Database)
    let end = () => {}
    const reading = new Promise<void>(resolve => {
      end = resolve
    })
    const slow = Promise.allSettled(Array.from({ length: 50 }, () => database.report(() => reading)))
    expect(outcome(await list('outcome=ok'))).toBe('503 TOO_BUSY')
    for (let time = 0; time < 3; time++) expect(await login(app, owner)).toMatchObject({ status: 200 })
    end()
    const results = await slow
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    expect(outcome(await list('outcome=ok'))).toBe('200')
  })
})

function list(query: string) {
  const headers = { Origin: MAIN, ...bearer(session.accessToken), ...cookie(session.sessionId) }
  return app.request({ path: `/api/audit?${query}`, headers })
}
