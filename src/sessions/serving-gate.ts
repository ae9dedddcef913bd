import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../errors/api-error.js'

/** A store that is back is to serve again within a second. */
const TRY_AGAIN_MS = 200

/** Keeps a store from serving while it may not know of the latest revocations. */
export class ServingGate {
  private doubts = 1
  private settledDoubts = 0
  private settling: Promise<void> | undefined
  private isClosed = false

  constructor(private readonly replay: () => Promise<void>) {}

  /** Throws `SESSION_STORE_UNAVAILABLE` while there is doubt. */
  assertOpen(): void {
    if (this.settledDoubts !== this.doubts) throw unavailable('SESSION_STORE_UNAVAILABLE')
  }

  /** What `work` answers; throws the same when doubt arises meanwhile, for then another server may have answered. */
  async serve<T>(work: () => Promise<T>): Promise<T> {
    this.assertOpen()
    const doubts = this.doubts
    const answer = await work()
    if (this.doubts !== doubts) throw unavailable('SESSION_STORE_UNAVAILABLE')
    return answer
  }

  /** Replays once and opens; throws what the replay threw. */
  async open(): Promise<void> {
    const doubts = this.doubts
    await this.replay()
    // A replay that began before another may end after it.
    this.settledDoubts = Math.max(this.settledDoubts, doubts)
  }

  /** Shuts at once, and opens again after a replay that no further doubt has overtaken. */
  doubt(): void {
    this.doubts++
    this.settling ??= this.settle().finally(() => {
      this.settling = undefined
    })
  }

  close(): void {
    this.isClosed = true
  }

  private async settle(): Promise<void> {
    while (!this.isClosed && this.settledDoubts !== this.doubts)
      await this.open().catch(() => sleep(TRY_AGAIN_MS, undefined, { ref: false }))
  }
}
