import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { PROVIDER } from '../../conformance/service/environment.js'
import { logOut, outcome, readData, refreshByCookie, refreshByHeader } from '../../http/support/api-calls.js'
import { openPortal, permissionsIn } from '../../http/support/paying.js'
import { team } from '../../http/support/team-calls.js'
import { handleOf, type SessionId } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { type SignedIn, signIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import type { Door, Installation } from './installation.js'

/** A session, and how its clients refresh it. */
export interface OpenSession extends SignedIn {
  readonly source: 'main' | 'satellite'
}

/** Who does what all the time. */
export interface Crowd {
  /** Of the account that pays, logged in on the main site. */
  readonly payer: SignedIn
  readonly subscriptionId: string
  /** The owner of another account, logged in on the main site. */
  readonly manager: SignedIn
  /** Whose permissions the manager changes again and again. */
  readonly member: { readonly id: string; readonly session: OpenSession }
  /** Whose sessions the manager ends again and again. */
  readonly suspect: { readonly id: string; readonly email: string }
  /** Come and go. */
  readonly visitors: readonly string[]
  /** Forget their passwords. */
  readonly forgetful: string
  /** Are there from the beginning to the end. */
  readonly live: readonly OpenSession[]
}

/** Refreshes of sessions that have ended. */
const AT_ONCE = 20
/** More of them say nothing new. */
const MOST_FAULTS = 10
const ENDED = '401 SESSION_NOT_FOUND'

export async function logIn(door: Door, email: string, source: OpenSession['source']): Promise<OpenSession> {
  return { ...(await signIn(door as TestApp, { email: email as never }, source)), source }
}

export function refresh(door: Door, { source, sessionId }: OpenSession): Promise<TestResponse> {
  const byKind = source === 'main' ? refreshByCookie : refreshByHeader
  return byKind(door as TestApp, sessionId)
}

/** Clients that do all of it all the time, through the balancer, and repeat nothing. */
export class Traffic {
  /** What was answered otherwise than expected, or not at all. */
  readonly faults: string[] = []
  /** How often each thing was answered. */
  readonly answered: Record<string, number> = {}
  /** Sessions that a client was told have ended. */
  readonly ended: OpenSession[] = []
  /** Events of the provider that were answered 200. */
  readonly events = new Set<string>()
  private readonly door: TestApp
  private readonly loops: Promise<void>[]
  private isOver = false

  constructor(
    private readonly installation: Installation,
    private readonly crowd: Crowd,
  ) {
    this.door = installation.fleet as TestApp
    this.loops = [
      this.again('clients that stay', 20, () => this.stay()),
      this.again('visitors', 200, () => this.comeAndGo()),
      this.again('permissions', 100, () => this.changePermissions()),
      this.again('sessions of others', 200, () => this.endSession()),
      this.again('payments', 100, () => this.pay()),
      this.again('events', 50, () => this.changeSubscription()),
      this.again('mails', 300, () => this.forgetPassword()),
    ]
  }

  async stop(): Promise<void> {
    this.isOver = true
    await Promise.all(this.loops)
  }

  /** Each client is answered at this replica as at any other. */
  async isSameAt(replica: Door): Promise<void> {
    await Promise.all(
      this.crowd.live.map(session => this.expect('refresh', '200', refresh(replica, session))),
    )
    // Each is looked up in the database, which takes only so many at once.
    const ended = [...this.ended]
    for (let start = 0; start < ended.length; start += AT_ONCE)
      await Promise.all(
        ended
          .slice(start, start + AT_ONCE)
          .map(session => this.expect('refresh of an ended session', ENDED, refresh(replica, session))),
      )
  }

  private async again(what: string, pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      await work().catch(error => this.report(`${what}: ${error}`))
      await sleep(pauseMs)
    }
  }

  private count(what: string): void {
    this.answered[what] = (this.answered[what] ?? 0) + 1
  }

  private report(fault: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push(`${new Date().toISOString()} ${fault}`)
  }

  private async expect(what: string, expected: string, answer: Promise<TestResponse>): Promise<TestResponse> {
    const answered = await answer
    this.count(what)
    if (outcome(answered) !== expected) this.report(`${what}: ${outcome(answered)} instead of ${expected}`)
    return answered
  }

  private async stay(): Promise<void> {
    for (const session of this.crowd.live) {
      const { json } = await this.expect('refresh', '200', refresh(this.door, session))
      await this.expect('data', '200', readData(this.door, json?.accessToken ?? ''))
    }
  }

  private async comeAndGo(): Promise<void> {
    for (const email of this.crowd.visitors)
      for (const source of ['main', 'satellite'] as const) {
        const session = await logIn(this.door, email, source)
        this.count('login')
        await this.expect('refresh', '200', refresh(this.door, session))
        await this.expect('data', '200', readData(this.door, session.accessToken))
        await this.expect('logout', '204', logOut(this.door, session.accessToken))
        await this.hasEnded(session)
        if (this.isOver) return
      }
  }

  private async changePermissions(): Promise<void> {
    const { manager, member } = this.crowd
    for (const viewReports of [true, false]) {
      const wanted = { payments: false, accountSettings: false, teamManagement: false, dataEntry: true }
      const path = `/${member.id}/permissions`
      const change = team(this.door, manager, 'PUT', path, { ...wanted, viewReports })
      await this.expect('change of permissions', '204', change)
      const { json } = await this.expect('refresh', '200', refresh(this.door, member.session))
      const may = permissionsIn(json.accessToken).join()
      if (may !== (viewReports ? 'dataEntry,viewReports' : 'dataEntry'))
        this.report(`after a change of permissions a member may ${may}`)
    }
  }

  private async endSession(): Promise<void> {
    const { manager, suspect } = this.crowd
    const session = await logIn(this.door, suspect.email, 'satellite')
    const path = `/${suspect.id}/sessions/${handleOf(session.sessionId as SessionId)}`
    await this.expect('end of a session', '204', team(this.door, manager, 'DELETE', path))
    await this.hasEnded(session)
  }

  private async hasEnded(session: OpenSession): Promise<void> {
    await this.expect('refresh of an ended session', ENDED, refresh(this.door, session))
    this.ended.push(session)
  }

  private async pay(): Promise<void> {
    await this.expect('portal', '201', openPortal(this.door, this.crowd.payer))
  }

  /** Somebody changes it at the provider, which posts what has happened. */
  private async changeSubscription(): Promise<void> {
    const { sandbox } = this.installation
    for (const status of ['past_due', 'active'] as const) {
      await sandbox.simulate.changeSubscription(this.crowd.subscriptionId, { status })
      await postEvents(this.installation, event => {
        this.events.add(event)
        return (answer: Promise<TestResponse>) => this.expect('event', '200', answer)
      })
    }
  }

  private async forgetPassword(): Promise<void> {
    const { forgetful } = this.crowd
    const { mails } = this.installation.outbox
    const countOf = () => mails.filter(({ to }) => to === forgetful).length
    const before = countOf()
    const headers = { Origin: MAIN }
    const asked = { method: 'POST', path: '/api/password/forgot', headers, body: { email: forgetful } }
    await this.expect('forgotten password', '202', this.door.request(asked))
    await eventually(() => countOf() > before, { what: 'its mail' })
    this.count('mail')
  }
}

const posted = new WeakMap<Installation, number>()

/** Posts the events that the provider has made since the last time, once each. */
export async function postEvents(
  installation: Installation,
  checking: (eventId: string) => (answer: Promise<TestResponse>) => Promise<unknown>,
): Promise<void> {
  const events = installation.sandbox.events(posted.get(installation) ?? 0)
  posted.set(installation, (posted.get(installation) ?? 0) + events.length)
  for (const event of events) {
    const body = JSON.stringify(event)
    const secret = PROVIDER.webhookSecret
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret })
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature }
    const path = '/api/webhooks/stripe'
    await checking(event.id)(installation.fleet.request({ method: 'POST', path, headers, body }))
  }
}
