import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Count, Increment } from './shared-counters.js'

const NOTHING: Count = { points: 0, msLeft: 0 }

/** The counters of this process, in memory. */
export class OwnCounters {
  private readonly memory = new RateLimiterMemory({ points: 0, duration: 0 })

  async read(key: string): Promise<Count> {
    const found = await this.memory.get(key)
    return found ? countOf(found) : NOTHING
  }

  async add({ key, windowSeconds }: Increment): Promise<Count> {
    return countOf(await this.memory.penalty(key, 1, { customDuration: windowSeconds }))
  }

  async subtract({ key, windowSeconds }: Increment): Promise<void> {
    const { consumedPoints } = await this.memory.reward(key, 1, { customDuration: windowSeconds })
    // The counter's window has ended in the meantime.
    if (consumedPoints < 0) await this.forget(key)
  }

  async forget(key: string): Promise<void> {
    await this.memory.delete(key)
  }
}

function countOf({ consumedPoints, msBeforeNext }: RateLimiterRes): Count {
  return { points: consumedPoints, msLeft: msBeforeNext }
}
