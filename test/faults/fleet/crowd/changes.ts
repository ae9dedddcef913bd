import type { TestResponse } from '../../../support/http-request.js'
import { MAIN } from '../../../support/test-app.js'
import type { Fleet } from '../fleet.js'
import type { Replica } from '../replica.js'
import type { FleetSession } from './fleet-session.js'
import type { FleetUser } from './fleet-user.js'

/** What a change is made on. `chosen` is one of the user's sessions; it is the one that a change of one session is about. */
export interface AffectedSession {
  readonly fleet: Fleet
  readonly user: FleetUser
  readonly chosen: FleetSession
  /** The session of the account's owner. */
  readonly manager: FleetSession
}

/** `recorded`: it is in the database, and must be so everywhere within seconds. */
export type Outcome = 'done' | 'recorded' | 'not done'

export interface Change {
  readonly name: string
  /** Made by a process of its own, not by a replica. */
  readonly isAtCommandLine?: true
  /** The sessions that it ends. */
  ends(concerned: AffectedSession): readonly FleetSession[]
  /** The permissions that it takes from the user. */
  readonly takes?: readonly string[]
  /** What must be there before anything fails. */
  prepare?(concerned: AffectedSession): Promise<void>
  /** Asks for it once; safe to repeat until it is done or recorded. */
  ask(concerned: AffectedSession, replica: Replica): Promise<Outcome>
}

const TAKEN = ['accountSettings', 'dataEntry']
const NEW_PASSWORD = 'quite another password than before'

const all = ({ user }: AffectedSession) => user.sessions
const chosenAlone = ({ chosen }: AffectedSession) => [chosen]

/** A link is used up by the try that was recorded, though its answer was lost with the process or its connections. */
const outcomeByLink = (answer: TestResponse) =>
  answer.json?.code === 'INVALID_LINK' ? 'recorded' : outcome(answer)
const outcome = ({ status, json }: TestResponse): Outcome => {
  if (status < 500 && status > 204) throw new Error(`Answered ${status} ${json?.code}`)
  return doneIf(status === 200 || status === 204)
}
const doneIf = (isDone: boolean): Outcome => (isDone ? 'done' : 'not done')

export const CHANGES: readonly Change[] = [
  {
    name: 'disabled at the command line',
    isAtCommandLine: true,
    ends: all,
    ask: ({ fleet, user }) =>
      fleet.cli('user:disable', user.email).then(
        () => 'done',
        () => 'not done',
      ),
  },
  {
    name: 'disabled by the team',
    ends: all,
    ask: async ({ manager, user }, replica) =>
      outcome(await replica.request(manager.as('POST', `/api/team/${user.id}/disable`, {}))),
  },
  {
    name: 'password reset',
    ends: all,
    prepare: async ({ fleet, user, chosen }) => {
      await fleet.replicas[0]!.request({
        method: 'POST',
        path: '/api/password/forgot',
        headers: { Origin: MAIN },
        body: { email: user.email },
        localAddress: chosen.address,
      })
      await user.mailedToken('/reset-password')
    },
    ask: async ({ user, chosen }, replica) => {
      const token = await user.mailedToken('/reset-password')
      return outcomeByLink(
        await replica.request({
          method: 'POST',
          path: '/api/password/reset',
          headers: { Origin: MAIN },
          body: { token, password: NEW_PASSWORD },
          localAddress: chosen.address,
        }),
      )
    },
  },
  {
    name: 'not me',
    ends: all,
    prepare: async ({ user }) => {
      await user.mailedToken('/not-me')
    },
    ask: async ({ user, chosen }, replica) => {
      const token = await user.mailedToken('/not-me')
      return outcomeByLink(
        await replica.request({
          method: 'POST',
          path: '/api/sessions/not-me',
          headers: { Origin: MAIN },
          body: { token },
          localAddress: chosen.address,
        }),
      )
    },
  },
  {
    name: 'permissions cut',
    ends: () => [],
    takes: TAKEN,
    ask: async ({ manager, user }, replica) => {
      const rest = { payments: false, teamManagement: false, viewReports: true }
      const body = { ...rest, accountSettings: false, dataEntry: false }
      return outcome(await replica.request(manager.as('PUT', `/api/team/${user.id}/permissions`, body)))
    },
  },
  {
    name: 'logout',
    ends: chosenAlone,
    ask: async ({ chosen }, replica) => outcome(await replica.request(chosen.as('POST', '/api/logout'))),
  },
  {
    name: 'one revoked',
    ends: chosenAlone,
    ask: async ({ user, chosen }, replica) => {
      // A satellite's session knows of its own site alone.
      const other = user.sessions.find(
        session => session !== chosen && session.source === 'main',
      ) as FleetSession
      const { status } = await replica.request(other.as('DELETE', `/api/sessions/${chosen.sid}`))
      // By the try that was recorded, as with a link.
      return status === 404 ? 'recorded' : doneIf(status === 204)
    },
  },
]
