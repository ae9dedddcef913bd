import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  type Db,
  handleOf,
  permissionsOf,
  type Session,
  type SessionId,
  SessionStore,
  sessions,
  type User,
  Users,
} from '../../sources.js'
import { aDnsServer } from '../../support/dns-server.js'
import { anEmail, anOwner } from '../../support/people.js'
import { anApp, SHOP_ONE, type TestApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'
import {
  type AddedSatellite,
  addSatellite,
  anActiveSatellite,
  anOrigin,
  publish,
  stored,
} from '../support/satellite-calls.js'
import { aManager } from '../support/team-calls.js'

/** What the member of these tests has, but nothing that lets them change the account or its team. */
const LESS = permissionsOf(['dataEntry'])

/** What is taken away once the guards have read the session. */
const TAKEN_AWAY: readonly [
  string,
  string,
  (app: TestApp, transaction: Db, user: User) => Promise<unknown>,
][] = [
  [
    'the permission',
    '403 PERMISSION_REQUIRED',
    (app, transaction, { id }) => app.get(Users).setGranted(transaction, id, LESS),
  ],
  [
    'every site but one',
    '403 PERMISSION_REQUIRED',
    (app, transaction, { id }) => app.get(Users).setSatellites(transaction, id, [SHOP_ONE]),
  ],
  [
    'the right to log in',
    '401 SESSION_NOT_FOUND',
    (app, transaction, { id }) => app.get(Users).disable(transaction, [id], 'operator'),
  ],
  [
    'the session',
    '401 SESSION_NOT_FOUND',
    (app, transaction, { id }) =>
      transaction.update(sessions).set({ endedAt: app.clock.now() }).where(eq(sessions.userId, id)),
  ],
]

describe('A change that the guards let in just before', () => {
  const dns = aDnsServer()
  const app = anApp(() => ({ DNS_SERVERS: dns.address }))
  let member: User
  let seen: Session | null
  let change: (method: string, path: string, body?: object) => Promise<string>
  let pending: AddedSatellite
  let active: AddedSatellite
  let invitation: string
  beforeEach(async () => {
    const owner = await anOwner(app)
    ;({ user: member } = await aManager(app, owner, 'accountSettings'))
    const session = await provenSession(app, member)
    const landlord = { owner, session }
    pending = await addSatellite(app, landlord)
    publish(dns, pending)
    const invited = await onMainSite(app, session, 'POST', '/api/team/invitations', { email: anEmail() })
    invitation = invited.json.id
    active = await anActiveSatellite(app, dns, landlord)
    seen = await app.get(SessionStore).find(handleOf(session.sessionId as SessionId), app.clock.now())
    change = async (...request) => outcome(await onMainSite(app, session, ...request))
  })

  afterEach(() => {
    jest.restoreAllMocks()
  })

  it.each(TAKEN_AWAY)('is refused once %s is gone', async (_, refusal, takeAway) => {
    await app.database.transaction(transaction => takeAway(app, transaction, member))
    jest.spyOn(app.get(SessionStore), 'find').mockResolvedValue(seen)
    const outcomes = {
      name: await change('PATCH', '/api/account', { name: 'Thief & Sons' }),
      'hand-off': await change('PATCH', '/api/account', { handoffRequired: 'everyone' }),
      'new satellite': await change('POST', '/api/satellites', { origin: anOrigin(), name: 'Mine' }),
      'changed satellite': await change('PATCH', `/api/satellites/${active.id}`, { name: 'Mine' }),
      suspension: await change('POST', `/api/satellites/${active.id}/suspend`),
      removal: await change('DELETE', `/api/satellites/${active.id}`),
      proof: await change('POST', `/api/satellites/${pending.id}/verify`),
      invitation: await change('DELETE', `/api/team/invitations/${invitation}`),
      policy: await change('PUT', '/api/account/second-factor', {
        required: 'off',
        paymentStepUpMinutes: null,
      }),
    }
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map(name => [name, refusal])))
    expect(await stored(app, active.id)).toMatchObject({ name: 'Rose Shop', state: 'active' })
    expect(await stored(app, pending.id)).toMatchObject({ state: 'pending' })
  })
})
