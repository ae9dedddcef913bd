import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { subscribe } from '../../http/support/api-calls.js'
import { onMainSite, reauthenticate } from '../../http/support/reauthenticate.js'
import { team } from '../../http/support/team-calls.js'
import { isOfInterest } from '../../sources.js'
import { Authenticator } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { PASSWORD } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { TestClock } from '../../support/test-clock.js'
import { expectCode, expectStatus, handEverythingOver, post } from './handovers.js'
import { type Door, Installation } from './installation.js'
import { migrationsOf } from './migrations/statements.js'
import { previousRelease } from './previous-release.js'
import { type Crowd, logIn, type OpenSession, postEvents, Traffic } from './traffic.js'

const BEFORE = previousRelease()
const NOW = process.cwd()
const OWN_SATELLITE = 'https://own.example.com'
/** Longer than requests wait for the database. */
const BACKUP_MS = 3_000
const ERROR = 50
/** A store that is slow to answer a process that is starting; what follows from it for clients is a fault of the traffic. */
const BUSY_MACHINE = /^The (?:session store|database) is down/

/** Each account has an owner and as many members as this. */
const ACCOUNTS = { busy: 5, paying: 0, forth: 4, back: 4 }
type Account = keyof typeof ACCOUNTS

let installation: Installation
let traffic: Traffic
/** Opened by the release before, and never ended. */
let live: OpenSession[]

beforeAll(async () => {
  installation = await Installation.start(BEFORE, usersToImport())
  await installation.cli(BEFORE, 'satellite:add', OWN_SATELLITE, '--owner', ownerOf('busy'), '--proven')
  live = await Promise.all([
    logIn(installation.fleet, ownerOf('busy'), 'main'),
    logIn(installation.fleet, ownerOf('busy'), 'satellite'),
  ])
  traffic = new Traffic(installation, await aCrowd(live))
})
afterAll(async () => {
  await traffic?.stop()
  await installation?.stop()
})
// Also while nothing is looked at, something is asked all the time.
afterEach(() => {
  expect(traffic.faults).toEqual([])
})

describe('a rolling upgrade from the release before, and back', () => {
  it('begins while a backup is being made: the migration waits for it, and nobody waits for the migration', async () => {
    const backup = await installation.database.connect()
    await backup.query(
      'begin; lock table users, accounts, sessions, satellites, audit_log in access share mode',
    )
    let isUpgraded = false
    const upgraded = installation.replace(0, NOW).then(() => {
      isUpgraded = true
    })
    // A release without a new migration has nothing to wait for.
    if (migrationsOf(NOW).length > migrationsOf(BEFORE).length) {
      await eventually(() => isMigrationWaiting(), { what: 'the migration to wait', timeoutMs: 15_000 })
      await sleep(BACKUP_MS)
      expect(isUpgraded).toBe(false)
    } else await upgraded
    await backup.query('commit')
    backup.release()
    await upgraded
  })

  it('has both releases side by side: what one begins, the other ends', async () => {
    const [now, before] = [installation.replica(0), installation.replica(1)]
    await Promise.all([
      handEverythingOver(installation, [before, now], peopleOf('forth')),
      handEverythingOver(installation, [now, before], peopleOf('back')),
    ])
    await isSameEverywhere()
    expect(await publicKeysAt(now)).toEqual(await publicKeysAt(before))
    expect(await allowedAt(now, OWN_SATELLITE)).toBe(OWN_SATELLITE)
  })

  it('ends with this release alone, which can do more', async () => {
    await installation.replace(1, NOW)
    await isSameEverywhere()
    live.push(await setUpAuthenticator(peopleOf('busy').members[4] as string))
  })

  it('goes back by the same way, with the database as it is', async () => {
    await installation.replace(0, BEFORE)
    await isSameEverywhere()
    await installation.replace(1, BEFORE)
    await isSameEverywhere()
    const enrolled = peopleOf('busy').members[4] as string
    await expect(logIn(installation.fleet, enrolled, 'main')).rejects.toThrow('SECOND_FACTOR_REQUIRED')
    const path = '/api/audit?action=factor.add'
    const audit = await onMainSite(app(installation.fleet), live[0] as OpenSession, 'GET', path)
    expect(audit.text).toContain('"factor.add"')
  })

  it('has lost nothing and logged no error', async () => {
    await traffic.stop()
    for (const what of ['login', 'logout', 'change of permissions', 'end of a session', 'event', 'mail'])
      expect([what, traffic.answered[what]]).toEqual([what, expect.any(Number)])
    expect(traffic.answered.refresh).toBeGreaterThan(100)
    await eventually(
      async () => (await rowsOf('select 1 from provider_events where effect is null')).length === 0,
    )
    await eventually(async () => (await rowsOf('select 1 from billing_work')).length === 0)
    const useful = installation.sandbox.events().filter(({ type }) => isOfInterest(type))
    const effects = await rowsOf<{ event: string; times: number }>(
      "select detail->>'event' as event, count(*)::int as times from audit_log where action = 'webhook' and detail ? 'event' group by 1",
    )
    expect(new Map(effects.map(({ event, times }) => [event, times]))).toEqual(
      new Map(useful.map(({ id }) => [id, 1])),
    )
    await installation.cli(NOW, 'audit:verify')
    const problems = (await installation.logged()).filter(({ level }) => level >= ERROR)
    expect(problems.map(({ msg }) => msg).filter(line => !BUSY_MACHINE.test(line))).toEqual([])
  })
})

async function isSameEverywhere(): Promise<void> {
  for (const slot of [0, 1]) await traffic.isSameAt(installation.replica(slot))
  expect(traffic.faults).toEqual([])
}

async function aCrowd(live: readonly OpenSession[]): Promise<Crowd> {
  const { fleet } = installation
  const payer = await logIn(fleet, ownerOf('paying'), 'main')
  const [manager] = live as [OpenSession]
  const { json } = await expectStatus(team(app(fleet), manager, 'GET'), 200)
  const idOf = (email: string) => json.users.find((user: { email: string }) => user.email === email).userId
  const [member = '', suspect = '', visitor = '', forgetful = ''] = peopleOf('busy').members
  return {
    payer,
    subscriptionId: await buy(payer),
    manager,
    member: { id: idOf(member), session: await logIn(fleet, member, 'satellite') },
    suspect: { id: idOf(suspect), email: suspect },
    visitors: [visitor],
    forgetful,
    live,
  }
}

async function buy(payer: OpenSession): Promise<string> {
  const { sandbox, fleet } = installation
  const { json } = await expectStatus(subscribe(app(fleet), payer), 201)
  await sandbox.simulate.pay(json.checkoutUrl.split('/').at(-1))
  await postEvents(installation, () => answer => expectStatus(answer, 200))
  return sandbox.subscriptions()[0]?.id as string
}

/** What the release before does not know: a session with two factors, of a user who needs both. */
async function setUpAuthenticator(email: string): Promise<OpenSession> {
  const door = app(installation.fleet)
  const session = await logIn(door, email, 'main')
  await expectStatus(reauthenticate(door, session), 200)
  const begun = await expectStatus(onMainSite(door, session, 'POST', '/api/second-factor/totp'), 201)
  const code = new Authenticator({ clock: new TestClock() }, begun.json.secret).code()
  await expectStatus(onMainSite(door, session, 'POST', '/api/second-factor/totp/confirm', { code }), 200)
  const body = { email, password: PASSWORD, source: 'main' }
  expectCode(await post(door, '/api/login', body), 'SECOND_FACTOR_REQUIRED')
  return session
}

async function publicKeysAt(replica: Door): Promise<unknown> {
  return (await replica.request({ path: '/.well-known/jwks.json' })).json
}

async function allowedAt(replica: Door, origin: string): Promise<string | undefined> {
  const { headers } = await replica.request({ path: '/.well-known/jwks.json', headers: { Origin: origin } })
  return headers['access-control-allow-origin']
}

async function isMigrationWaiting(): Promise<boolean> {
  const waiting =
    "select from pg_stat_activity where wait_event_type = 'Lock' and query ~* '^\\s*(alter|create)'"
  return (await rowsOf(`${waiting} and datname = current_database()`)).length > 0
}

async function rowsOf<Row extends object>(sql: string): Promise<Row[]> {
  return (await installation.database.query<Row>(sql)).rows
}

/** For the helpers of other tests, which ask it alone. */
function app(door: Door): TestApp {
  return door as TestApp
}

function usersToImport(): object[] {
  return (Object.keys(ACCOUNTS) as Account[]).flatMap(account => {
    const { owner, members } = peopleOf(account)
    const permissions = ['dataEntry', 'viewReports']
    const asMember = (email: string) => ({ email, role: 'member', permissions, account })
    return [{ email: owner, role: 'owner', account }, ...members.map(asMember)]
  })
}

function peopleOf(account: Account): { readonly owner: string; readonly members: readonly string[] } {
  const members = Array.from({ length: ACCOUNTS[account] }, (_, index) => `${account}-${index}@example.com`)
  return { owner: ownerOf(account), members }
}

function ownerOf(account: Account): string {
  return `${account}@example.com`
}
