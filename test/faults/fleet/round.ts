import { KNOWN_EVERYWHERE_AFTER_MS } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import type { Random } from '../support/random.js'
import type { AffectedSession, Change } from './crowd/changes.js'
import type { FleetSession } from './crowd/fleet-session.js'
import type { Fault } from './faults.js'
import { type History, isAsFated } from './history.js'
import type { Replica } from './replica.js'
import type { Shard } from './shard.js'
import { Watch } from './watch.js'

/** Answers in a row of every replica that a session is as it should be. */
const TIMES = 3

/** One change in the middle of one fault, watched from outside until everything is as it should be again. */
export class Round {
  private readonly ending: readonly FleetSession[]
  private readonly concerned: readonly FleetSession[]
  private readonly struck: Shard
  private readonly maker: Replica
  private readonly watch: Watch
  private isDone = false

  constructor(
    private readonly change: Change,
    private readonly fault: Fault,
    private readonly on: AffectedSession,
    sessions: readonly FleetSession[],
    private readonly history: History,
    private readonly random: Random,
  ) {
    this.ending = change.ends(on)
    this.concerned = change.takes ? on.user.sessions : this.ending
    this.struck = this.chooseShard()
    this.maker = random.oneOf(on.fleet.replicas)
    this.watch = new Watch(sessions, on.fleet.replicas, history)
  }

  async play(name: string): Promise<void> {
    this.history.begin(name, this.fault.name, this.struck)
    try {
      // Redis has copies of all of them then.
      await this.watch.until(isAsFated, TIMES)
      await this.fault.happen({
        fleet: this.on.fleet,
        struck: this.struck,
        maker: this.maker,
        random: this.random,
        makeChange: () => this.ask(this.maker),
        reachesAll: () => this.reachesAll(),
      })
      await this.on.fleet.redisIsWhole()
      await this.finishChange()
      await this.watch.until(isAsFated, TIMES)
    } finally {
      await this.watch.stop()
    }
  }

  private chooseShard(): Shard {
    const { user, chosen } = this.on
    if (this.fault.strikes === 'own') return chosen.shard
    const others = user.sessions.map(({ shard }) => shard).filter(shard => shard !== chosen.shard)
    return this.random.oneOf(this.fault.strikes === 'other' ? others : [chosen.shard, ...others])
  }

  private async ask(replica: Replica): Promise<void> {
    for (const session of this.concerned) session.fate = 'undecided'
    const outcome = await this.change.ask(this.on, replica)
    const laterMs = this.fault.forgets ? KNOWN_EVERYWHERE_AFTER_MS : 0
    if (outcome === 'done') this.settle(performance.now() + laterMs)
    else if (outcome === 'recorded') this.settle(performance.now() + KNOWN_EVERYWHERE_AFTER_MS)
  }

  /** What is asked from `changedAt` on goes by the change. */
  private settle(changedAt: number): void {
    this.isDone = true
    for (const session of this.concerned) {
      session.fate = this.ending.includes(session) ? 'ended' : 'live'
      session.permissionsLost = this.change.takes ?? []
      session.changedAt = Math.min(session.changedAt, changedAt)
    }
  }

  private async reachesAll(): Promise<void> {
    this.settle(performance.now() + KNOWN_EVERYWHERE_AFTER_MS)
    const isKnown: typeof isAsFated = (session, answer) =>
      !this.concerned.includes(session) || isAsFated(session, answer)
    await this.watch.until(isKnown, 1)
  }

  /** A client repeats what was 503. */
  private async finishChange(): Promise<void> {
    await eventually(
      async () => {
        if (!this.isDone) await this.ask(this.random.oneOf(this.on.fleet.replicas))
        return this.isDone
      },
      { what: `"${this.change.name}" to be accepted`, timeoutMs: 30_000, everyMs: 200 },
    )
  }
}
