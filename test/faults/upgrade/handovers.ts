import { aCode, aJourney, redeem } from '../../http/support/handoff-calls.js'
import { onMainSite, reauthenticate } from '../../http/support/reauthenticate.js'
import { team } from '../../http/support/team-calls.js'
import { handleOf, type ReceivedMail, type SessionId } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { anEmail, PASSWORD } from '../../support/people.js'
import { MAIN, SHOP_ONE, type TestApp } from '../../support/test-app.js'
import type { Door, Installation } from './installation.js'
import { logIn } from './traffic.js'

/** What somebody begins at one replica and goes on with at the other, which is of another release. */
interface Handover {
  readonly from: TestApp
  readonly to: TestApp
  /** Of an account in which nobody has logged in yet. */
  readonly owner: string
  /** Members of it. */
  readonly members: readonly string[]
  mailed(email: string, page: string): Promise<string>
}

const ANOTHER_PASSWORD = 'another password nobody else has'

const HANDOVERS: readonly ((handover: Handover) => Promise<void>)[] = [
  async function handOff({ from, to, members: [member = ''] }) {
    const parent = await logIn(from, member, 'main')
    const journey = aJourney()
    const code = await aCode(to, parent, SHOP_ONE, journey)
    const child = await expectStatus(redeem(from, { code, verifier: journey.verifier }, SHOP_ONE), 200)
    const again = await redeem(to, { code, verifier: journey.verifier }, SHOP_ONE)
    expectCode(again, 'HANDOFF_CODE_INVALID')
    const headers = { 'X-Session-ID': child.json.sessionId, Origin: SHOP_ONE }
    // Whoever finds a code used twice ends what it had opened.
    expectCode(await to.request({ method: 'POST', path: '/api/refresh', headers }), 'SESSION_NOT_FOUND')
  },

  async function resetPassword({ from, to, members: [, member = ''], mailed }) {
    const before = await logIn(to, member, 'satellite')
    await expectStatus(post(from, '/api/password/forgot', { email: member }), 202)
    const token = await mailed(member, 'reset-password')
    await expectStatus(post(to, '/api/password/reset', { token, password: ANOTHER_PASSWORD }), 200)
    const headers = { 'X-Session-ID': before.sessionId, Origin: SHOP_ONE }
    expectCode(await from.request({ method: 'POST', path: '/api/refresh', headers }), 'SESSION_NOT_FOUND')
    const body = { email: member, password: ANOTHER_PASSWORD, source: 'main' }
    await expectStatus(post(from, '/api/login', body), 200)
  },

  async function invite({ from, to, owner, mailed }) {
    const manager = await logIn(to, owner, 'main')
    const email = anEmail()
    await expectStatus(reauthenticate(from, manager), 200)
    await expectStatus(team(from, manager, 'POST', '/invitations', { email }), 201)
    const token = await mailed(email, 'accept-invitation')
    await expectStatus(post(to, '/api/invitations/accept', { token, password: PASSWORD }), 201)
    await logIn(from, email, 'satellite')
  },

  async function moveMailbox({ from, to, members: [, , member = ''], mailed }) {
    const session = await logIn(from, member, 'main')
    const email = anEmail()
    await expectStatus(reauthenticate(from, session), 200)
    await expectStatus(onMainSite(to, session, 'POST', '/api/email/change', { email }), 202)
    const token = await mailed(email, 'confirm-email')
    await expectStatus(onMainSite(from, session, 'POST', '/api/email/confirm', { token }), 204)
    await logIn(to, email, 'main')
  },

  async function signUp({ from, to, mailed }) {
    const email = anEmail()
    await expectStatus(post(from, '/api/signup', { email, password: PASSWORD }), 202)
    const token = await mailed(email, 'verify-email')
    await expectStatus(post(to, '/api/signup/verify', { token, password: PASSWORD }), 201)
    const owner = await logIn(from, email, 'main')
    await expectStatus(onMainSite(to, owner, 'GET', '/api/account'), 200)
  },

  async function endSession({ from, to, owner, members: [member = ''] }) {
    const manager = await logIn(from, owner, 'main')
    const session = await logIn(to, member, 'main')
    const { json } = await expectStatus(team(from, manager, 'GET'), 200)
    const { userId: id } = json.users.find(({ email }: { email: string }) => email === member)
    const path = `/${id}/sessions/${handleOf(session.sessionId as SessionId)}`
    await expectStatus(team(from, manager, 'DELETE', path), 204)
    expectCode(await onMainSite(to, session, 'GET', '/api/account'), 'SESSION_NOT_FOUND')
  },

  /** The counters are the same ones. */
  async function guess({ from, to, members: [, , , member = ''] }) {
    const body = { email: member, password: 'a wrong one', source: 'main' }
    for (let times = 0; times < 5; times++)
      for (const door of [from, to]) expectCode(await post(door, '/api/login', body), 'INVALID_CREDENTIALS')
    for (const door of [from, to]) expectCode(await post(door, '/api/login', body), 'TOO_MANY_ATTEMPTS')
  },
]

/** Everything that can be begun at `from` and ended at `to`; rejects when one of them does not understand the other. */
export async function handEverythingOver(
  { outbox }: Installation,
  [from, to]: readonly [Door, Door],
  people: Pick<Handover, 'owner' | 'members'>,
): Promise<void> {
  const mailed = async (email: string, page: string) => {
    const link = new RegExp(`/${page}#token=([\\w-]+)`)
    const find = () => outbox.mails.findLast(({ to, text }) => to === email && link.test(text))
    const mail = (await eventually(find, { what: `the mail to ${email} with ${page}` })) as ReceivedMail
    return link.exec(mail.text)?.[1] as string
  }
  for (const handover of HANDOVERS)
    await handover({ ...people, from: from as TestApp, to: to as TestApp, mailed }).catch(cause => {
      throw new Error(`${handover.name}: ${cause.message}`, { cause })
    })
}

export function post(door: Door, path: string, body: object): Promise<TestResponse> {
  return door.request({ method: 'POST', path, headers: { Origin: MAIN }, body, timeoutMs: 30_000 })
}

export async function expectStatus(answer: Promise<TestResponse>, status: number): Promise<TestResponse> {
  const answered = await answer
  if (answered.status !== status) throw new Error(`${answered.status} ${answered.text} instead of ${status}`)
  return answered
}

export function expectCode({ status, json, text }: TestResponse, code: string): void {
  if (json?.code !== code) throw new Error(`${status} ${text} instead of ${code}`)
}
