import { setTimeout as sleep } from 'node:timers/promises'
import type { KillableService } from './killable-service.js'
import type { Random } from './random.js'

/** Long enough for a process that has just come up to be in the middle of something. */
const LONGEST_PAUSE_MS = 200

/** Kills one process after the other at random moments. Several may be down at the same time, all of them too. */
export class Killings {
  /** How many were killed so far. */
  count = 0

  constructor(
    private readonly services: readonly KillableService[],
    private readonly random: Random,
    /** What happens with every kill besides. */
    private readonly andThen: () => Promise<unknown>,
  ) {}

  /** Resolves when `total` were killed and all are up again. */
  async run(total: number, atOnce: number): Promise<void> {
    const killer = async () => {
      while (this.count < total) {
        await sleep(this.random.below(LONGEST_PAUSE_MS))
        await this.killOne(total)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, killer))
  }

  private async killOne(total: number): Promise<void> {
    const up = this.services.filter(({ isUp }) => isUp)
    if (up.length === 0 || this.count >= total) return
    this.count++
    await Promise.all([this.random.oneOf(up).kill(), this.andThen()])
  }
}
