import { beforeAll, describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AuditLog,
  accounts,
  auditEvent,
  Figures,
  hourlyFigures,
  Mailer,
  satelliteProofs,
  secondsAfter,
} from '../../sources.js'
import { giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { aMember, anOwner, sendLogin, signIn } from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp } from '../../support/test-app.js'
import { anOrigin } from '../support/satellite-calls.js'
import { ConsoleUser, withConsole } from './console-calls.js'

const HOUR_S = 60 * 60
const DAY_S = 24 * HOUR_S

const app = anApp(withConsole())
let operator: ConsoleUser
beforeAll(async () => {
  operator = await ConsoleUser.loggedIn(app)
})

async function read(path: string, by = operator) {
  const answer = await by.get(path)
  expect(answer.status).toBe(200)
  return answer.json
}

describe('what an operator has viewed last', () => {
  it('is newest first, each once, without what is gone or what others viewed, and is recorded', async () => {
    const [owner, stranger] = [await anOwner(app), await anOwner(app)]
    const member = await aMember(app, owner)
    const gone = await anOwner(app)
    const other = await ConsoleUser.loggedIn(app)
    for (const path of [`users/${gone.id}`, `users/${member.id}`, `accounts/${owner.accountId}`])
      await read(path)
    await read(`users/${stranger.id}`, other)
    await read(`users/${member.id}`)
    await app.query(`delete from users where id = '${gone.id}'`)
    const { viewed } = await read('viewed')
    expect(viewed).toMatchObject([
      { user: { id: member.id, email: member.email }, account: null },
      { user: null, account: { id: owner.accountId, owner: owner.email } },
    ])
    expect((await app.auditRows()).at(-1)).toMatchObject({
      ...{ action: 'operator.list', accountId: null },
      detail: {
        ...{ operator: operator.id, list: 'last viewed', accounts: [owner.accountId] },
        users: expect.arrayContaining([member.id]),
      },
    })
  })

  it('is nothing, and leaves no row, before the first view', async () => {
    const newcomer = await ConsoleUser.loggedIn(app)
    const before = (await app.auditRows()).length
    expect(await read('viewed', newcomer)).toEqual({ viewed: [] })
    expect(await app.auditRows()).toHaveLength(before)
  })
})

describe('the figures', () => {
  const TODAY = 29

  it('are of 30 days in UTC, and the same before and after the job has counted', async () => {
    const owner = await anOwner(app)
    const before = (await read('figures')).days
    expect(before).toHaveLength(30)
    const today = app.clock.now()
    expect(before[TODAY].day).toBe(today.toISOString().slice(0, 10))
    expect(before[0].day).toBe(
      secondsAfter(today, -29 * DAY_S)
        .toISOString()
        .slice(0, 10),
    )

    await signIn(app, owner, 'main')
    const careful = await anOwner(app)
    const authenticator = await giveAuthenticator(app, careful)
    const { challenge } = (await sendLogin(app, careful)).json
    expect((await secondStep(app, { challenge, code: authenticator.code() })).status).toBe(200)
    await fail(owner, 25)
    const expected = {
      day: before[TODAY].day,
      logins: before[TODAY].logins + 2,
      secondFactors: before[TODAY].secondFactors + 1,
      // More than have a row of their own.
      failedLogins: before[TODAY].failedLogins + 25,
      signUps: before[TODAY].signUps + 1,
    }
    expect((await read('figures')).days[TODAY]).toEqual(expected)

    app.clock.advance(2 * HOUR_S)
    expect(await app.get(Figures).run()).toBeGreaterThan(0)
    const day = async () =>
      (await read('figures')).days.find((each: { day: string }) => each.day === expected.day)
    expect(await day()).toEqual(expected)
    // From then on the log is not asked again about these hours.
    await app.database.run(db => db.update(hourlyFigures).set({ signUps: 1_000 }))
    const hours = await app.database.run(db => db.select().from(hourlyFigures))
    const ofDay = hours.filter(({ hour }) => hour.toISOString().startsWith(expected.day))
    expect(ofDay.length).toBeGreaterThan(0)
    expect((await day()).signUps).toBeGreaterThanOrEqual(1_000 * ofDay.length)
  })

  async function fail({ id: userId, accountId }: { id: string; accountId: string }, times: number) {
    const client = { requestId: 'a', ip: '203.0.113.7', userAgent: 'curl/8', origin: null }
    const event = auditEvent({ userId, accountId, client }, 'login', { reason: 'wrong password' })
    for (let count = 0; count < times; count++) app.get(AuditLog).enqueue(event, 'failed')
    await app.get(AuditLog).flush()
  }
})

describe('what needs attention', () => {
  it('are parts that are down, mails, payment events, lost proofs and accounts that are to be deleted', async () => {
    const database = app.database
    expect(await read('attention')).toMatchObject({
      ...{ status: 'ok', mails: { failed: 0 }, satellites: { failing: 0 } },
      ...{ billing: { customersFailed: 0, customersParked: 0 }, deletions: { all: 0, next: [] } },
    })
    const owner = await anOwner(app)
    const { id: satelliteId } = await aSatellite(app, owner, anOrigin())
    await database.run(db =>
      db.update(satelliteProofs).set({ failures: 1 }).where(eq(satelliteProofs.satelliteId, satelliteId)),
    )
    app.outbox.accepts = () => false
    await mailResetLink(app, owner)
    await app.get(Mailer).flush()
    app.outbox.accepts = () => true
    const names = ['A', 'B', 'C', 'D', 'E', 'F']
    for (const [index, name] of names.entries()) {
      const { accountId } = await anOwner(app)
      const deleteAt = secondsAfter(app.clock.now(), (names.length - index) * DAY_S)
      await database.run(db => db.update(accounts).set({ name, deleteAt }).where(eq(accounts.id, accountId)))
    }
    const { mails, satellites, deletions } = await read('attention')
    expect({ mails, satellites }).toEqual({ mails: { failed: 1 }, satellites: { failing: 1 } })
    expect(deletions.all).toBe(6)
    expect(deletions.next.map(({ name }: { name: string }) => name)).toEqual(['F', 'E', 'D', 'C', 'B'])
  })
})
