import type { KillableService } from '../support/killable-service.js'
import type { Random } from '../support/random.js'

/** Kills one process after the other. Several may be down at the same time, all of them too. */
export class Killings {
  /** How many were killed so far. */
  count = 0
  private readonly killersWaiting: ((victim: KillableService | null) => void)[] = []

  constructor(
    private readonly services: readonly KillableService[],
    private readonly random: Random,
    /** What happens with every kill besides. */
    private readonly andThen: () => Promise<unknown>,
    private readonly total: number,
    /** Whether the process after so many is to be killed now. */
    private readonly isTime: (killed: number) => boolean,
  ) {}

  /** Whether somebody only waits for the time to kill. Until a process is up again nobody may. */
  get isReady(): boolean {
    return this.killersWaiting.length > 0 && this.services.some(({ isUp }) => isUp)
  }

  /**
   * Called when a process has answered. When it is time, it is killed at once, before it can finish what it has only
   * promised; or another one is, in the middle of something else.
   */
  answeredBy(service: KillableService): void {
    if (this.count >= this.total || !this.isTime(this.count)) return
    const victims = this.random.below(2) === 0 ? [service] : this.services
    const up = victims.filter(({ isUp }) => isUp)
    if (up.length === 0) return
    const kill = this.killersWaiting.shift()
    if (!kill) return
    this.count++
    kill(this.random.oneOf(up))
  }

  /** Resolves when all were killed that should be, and all are up again. */
  async run(atOnce: number): Promise<void> {
    const killer = async () => {
      while (this.count < this.total) {
        const victim = await new Promise<KillableService | null>(resolve => this.killersWaiting.push(resolve))
        if (victim) await Promise.all([victim.kill(), this.andThen()])
      }
      for (const stop of this.killersWaiting.splice(0)) stop(null)
    }
    await Promise.all(Array.from({ length: atOnce }, killer))
  }
}
