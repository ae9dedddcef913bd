import { setTimeout as sleep } from 'node:timers/promises'
import type { KillableService } from '../support/killable-service.js'
import type { Random } from '../support/random.js'

const LOOK_EVERY_MS = 2

/** Kills one process after the other. Several may be down at the same time, all of them too. */
export class Killings {
  /** How many were killed so far. */
  count = 0
  private killersWaiting = 0

  constructor(
    private readonly services: readonly KillableService[],
    private readonly random: Random,
    /** What happens with every kill besides. */
    private readonly andThen: () => Promise<unknown>,
    /** Whether the process after so many is to be killed now. */
    private readonly isTime: (killed: number) => boolean,
  ) {}

  /** Whether somebody only waits for the time to kill. Until a process is up again nobody may. */
  get isReady(): boolean {
    return this.killersWaiting > 0 && this.services.some(({ isUp }) => isUp)
  }

  /** Resolves when `total` were killed and all are up again. */
  async run(total: number, atOnce: number): Promise<void> {
    const killer = async () => {
      while (this.count < total) {
        this.killersWaiting++
        await sleep(LOOK_EVERY_MS)
        this.killersWaiting--
        if (this.count < total && this.isTime(this.count)) await this.killOne()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, killer))
  }

  private async killOne(): Promise<void> {
    const up = this.services.filter(({ isUp }) => isUp)
    if (up.length === 0) return
    this.count++
    await Promise.all([this.random.oneOf(up).kill(), this.andThen()])
  }
}
