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

export interface Change {
  readonly name: string
  /** Made by a process of its own, not by a replica. */
  readonly isAtCommandLine?: true
  /** The sessions that it ends. */
  ends(concerned: AffectedSession): readonly FleetSession[]
  /** The permissions that it takes from the user. */
  readonly takes?: readonly string[]
  /** What must be there before the store fails. */
  prepare?(concerned: AffectedSession): Promise<void>
  /** Asks for it once; safe to repeat until it resolves with true, which means that the service has said that it is done. */
  ask(concerned: AffectedSession, replica: Replica): Promise<boolean>
}

const TAKEN = ['accountSettings', 'dataEntry']
const NEW_PASSWORD = 'quite another password than before'

const all = ({ user }: AffectedSession) => user.sessions
const chosenAlone = ({ chosen }: AffectedSession) => [chosen]

/** Links are used up by the try that was recorded, whatever that one was answered. */
const isDoneByLink = (answer: TestResponse) => answer.json?.code === 'INVALID_LINK' || isDone(answer)
const isDone = ({ status, json }: TestResponse) => {
  if (status < 500 && status > 204) throw new Error(`Answered ${status} ${json?.code}`)
  return status === 200 || status === 204
}
/** What has ended cannot be ended again. */
const isDoneOrOver = ({ status }: TestResponse) => status === 204 || status === 404

export const CHANGES: readonly Change[] = [
  {
    name: 'disabled at the command line',
    isAtCommandLine: true,
    ends: all,
    ask: ({ fleet, user }) =>
      fleet.cli('user:disable', user.email).then(
        () => true,
        () => false,
      ),
  },
  {
    name: 'disabled by the team',
    ends: all,
    ask: async ({ manager, user }, replica) =>
      isDone(await replica.request(manager.as('POST', `/api/team/${user.id}/disable`, {}))),
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
      return isDoneByLink(
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
      return isDoneByLink(
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
      return isDone(await replica.request(manager.as('PUT', `/api/team/${user.id}/permissions`, body)))
    },
  },
  {
    name: 'logout',
    ends: chosenAlone,
    ask: async ({ chosen }, replica) => isDone(await replica.request(chosen.as('POST', '/api/logout'))),
  },
  {
    name: 'one revoked',
    ends: chosenAlone,
    ask: async ({ user, chosen }, replica) => {
      // A satellite's session knows of its own site alone.
      const other = user.sessions.find(
        session => session !== chosen && session.source === 'main',
      ) as FleetSession
      return isDoneOrOver(await replica.request(other.as('DELETE', `/api/sessions/${chosen.sid}`)))
    },
  },
]
