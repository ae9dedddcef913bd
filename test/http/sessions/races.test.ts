import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  handleOf,
  type Permissions,
  permissionsOf,
  type SessionId,
  sessionChanges,
  subscriptions,
  UserAdministration,
  Users,
} from '../../sources.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { BACKENDS, TestApp } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { logOut, outcome, refreshByCookie } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import { keptEvents } from '../support/signed-event.js'
import { anotherSubscription, aSubscriber, creationOf, statusOf } from '../support/subscriber.js'
import { claimsOf } from '../support/token-claims.js'
import { untilCopied } from '../support/until-copied.js'

const NOT_FOUND = '401 SESSION_NOT_FOUND'

let app: TestApp
afterEach(() => {
  jest.restoreAllMocks()
})

describe.each(BACKENDS)('on %s', backend => {
  beforeAll(async () => {
    app = await TestApp.startOn(backend)
  })
  afterAll(() => app.stop())

  it('a permission that was cut is in no token that was asked for after the answer', async () => {
    const member = await aMember(app, await anOwner(app))
    const { sessionId } = await signIn(app, member, 'main')
    const mayPay = async () => {
      const { json } = await refreshByCookie(app, sessionId)
      return (claimsOf(json.accessToken).permissions as Permissions).payments
    }
    await untilCopied(app, sessionId, mayPay)
    let isOver = false
    // Which reads the session, and writes its copy, while it is being changed.
    const refreshing = (async () => {
      while (!isOver) await mayPay()
    })()
    try {
      for (let round = 0; round < 20; round++)
        for (const names of [['payments'], []] as const) {
          await accounts().grant(member, permissionsOf(names))
          expect(await Promise.all([mayPay(), mayPay(), mayPay()])).toEqual(Array(3).fill(names.length > 0))
        }
    } finally {
      isOver = true
      await refreshing
    }
  })

  it('the same logout twenty times is one change and one row in the audit log', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const sid = handleOf(signedIn.sessionId as SessionId)
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => logOut(app, signedIn.accessToken)))
    const answers = [...atOnce]
    for (let i = 0; i < 10; i++) answers.push(await logOut(app, signedIn.accessToken))
    expect(answers.map(outcome)).toEqual(Array(20).fill('204'))
    expect(await changesOf(eq(sessionChanges.sid, sid))).toHaveLength(1)
    const rows = await app.auditRows({ action: 'logout', sid })
    expect(rows).toHaveLength(1)
  })
})

describe('with several connections to the database', () => {
  beforeAll(async () => {
    app = await TestApp.start()
  })
  afterAll(() => app.stop())

  onServers('a login that ends while the user is being disabled leaves no session', async () => {
    const owner = await anOwner(app)
    const held = heldCall(app.get(Users), 'lockWithAccount')
    const disabled = accounts().disable(owner)
    await held.begun
    // More than two clocks may differ by.
    app.clock.advance(120)
    const { sessionId } = await signIn(app, owner, 'main')
    held.release()
    await disabled
    expect(outcome(await refreshByCookie(app, sessionId))).toBe(NOT_FOUND)
  })

  onServers('a user is disabled also where the clock of the login was ahead', async () => {
    const owner = await anOwner(app)
    app.clock.advance(30)
    const { sessionId } = await signIn(app, owner, 'main')
    app.clock.advance(-30)
    await accounts().disable(owner)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe(NOT_FOUND)
  })

  onServers('"end all" before a login is recorded keeps the next one from missing it', async () => {
    const owner = await anOwner(app)
    const held = heldCall(app.get(Users), 'lockUnchanged')
    const login = signIn(app, owner, 'main')
    await held.begun
    expect(await accounts().endSessions(owner)).toBe(0)
    held.release()
    const { sessionId } = await login
    expect(await accounts().endSessions(owner)).toBe(1)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe(NOT_FOUND)
  })

  slow('a second subscription that is paid for is told from old news, and the first one stays', async () => {
    const payer = await aSubscriber(app)
    const second = await anotherSubscription(app, payer.customerId)
    expect(await keptEvents(app, creationOf(app, second).id)).toEqual([
      expect.objectContaining({ effect: 'second subscription' }),
    ])
    expect(await keptEvents(app, creationOf(app, payer.subscriptionId).id)).toEqual([
      expect.objectContaining({ effect: expect.not.stringContaining('second') }),
    ])
    const accountId = claimsOf(payer.signedIn.accessToken).accountId as string
    const kept = await app.database.run(db =>
      db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId)),
    )
    expect(kept).toEqual([expect.objectContaining({ providerId: payer.subscriptionId })])
    await app.sandbox.simulate.cancel(second)
    await app.paymentsSettled()
    expect(await statusOf(app, payer.signedIn)).toBe('active')
  })
})

function accounts(): UserAdministration {
  return app.get(UserAdministration)
}

function changesOf(which: ReturnType<typeof eq>) {
  return app.database.run(db => db.select().from(sessionChanges).where(which))
}
