import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import type { FleetSession } from './crowd/fleet-session.js'
import type { History } from './history.js'
import type { Replica } from './replica.js'

/** Between two refreshes of one session at one replica. */
const PAUSE_MS = 200
/** All faults are over by then; the rest is for a busy machine. */
const RECOVERY_MS = 60_000

type IsRight = (session: FleetSession, answer: TestResponse) => boolean

interface Seen {
  readonly answer: TestResponse
  /** So many in a row had its status. */
  readonly count: number
}

/** Refreshes sessions at all replicas again and again, from outside, and writes the history. */
export class Watch {
  private isOver = false
  private readonly loops: Promise<void>[]
  private readonly seen = new Map<string, Seen>()

  constructor(
    private readonly sessions: readonly FleetSession[],
    private readonly replicas: readonly Replica[],
    private readonly history: History,
  ) {
    this.loops = replicas.flatMap(replica => sessions.map(session => this.keepAsking(replica, session)))
  }

  /** Waits until every session answered `isRight` `times` in a row wherever a replica is up; what never does goes to the history. */
  async until(isRight: IsRight, times: number): Promise<void> {
    this.seen.clear()
    const all = this.replicas
      .filter(({ isUp }) => isUp)
      .flatMap(replica => this.sessions.map(session => ({ replica: replica.name, session })))
    const waiting = () =>
      all.filter(({ replica, session }) => {
        const seen = this.seen.get(replica + session.sid)
        return !seen || seen.count < times || !isRight(session, seen.answer)
      })
    try {
      await eventually(() => waiting().length === 0, { timeoutMs: RECOVERY_MS, everyMs: 50 })
    } catch {
      for (const { replica, session } of waiting()) {
        const status = this.seen.get(replica + session.sid)?.answer.status
        this.history.fail({ session, replica }, `is ${session.fate}, but answers ${status} for good`)
      }
    }
  }

  async stop(): Promise<void> {
    this.isOver = true
    await Promise.all(this.loops)
  }

  private async keepAsking(replica: Replica, session: FleetSession): Promise<void> {
    while (!this.isOver) {
      if (replica.isUp) await this.ask(replica, session)
      await sleep(PAUSE_MS)
    }
  }

  private async ask(replica: Replica, session: FleetSession): Promise<void> {
    const sentAt = performance.now()
    try {
      const answer = await replica.request(session.refresh)
      this.history.see({ session, replica: replica.name, sentAt, answer })
      const key = replica.name + session.sid
      const before = this.seen.get(key)
      const count = before?.answer.status === answer.status ? before.count + 1 : 1
      this.seen.set(key, { answer, count })
    } catch (error) {
      // A process that is killed takes its answers along.
      if (replica.isUp) this.history.fail({ session, replica: replica.name }, (error as Error).message)
    }
  }
}
