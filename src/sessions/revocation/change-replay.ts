import type { SessionHandle } from '../session.js'
import { RedisChanges } from '../stores/redis-changes.js'
import { changesOf, type StoreChanges } from '../stores/session-store.js'
import { ChangeHistory } from './change-history.js'

/** Selects the sessions that a replay covers. */
export type IsConcerned = (sid: SessionHandle) => boolean

/** Tells Redis about recorded changes again. Its methods throw when a shard does not accept them. */
export class ChangeReplay {
  constructor(
    private readonly history: ChangeHistory,
    private readonly changes: RedisChanges,
  ) {}

  /**
   * Repeats every change after this one; returns how many there were. `afterPage` runs after each page but
   * the last.
   */
  async allAfter(
    id: number,
    isConcerned: IsConcerned = () => true,
    afterPage: () => Promise<unknown> = async () => {},
  ): Promise<number> {
    let count = 0
    for await (const page of this.history.pagesAfter(id)) {
      await this.applyToStore(changesOf(page.changes, isConcerned))
      count += page.count
      if (!page.isLast) await afterPage()
    }
    return count
  }

  /** Repeats the changes after this one if they fit on one page; otherwise does nothing and returns false. */
  async fewAfter(id: number, isConcerned: IsConcerned): Promise<boolean> {
    const { value: page } = await this.history.pagesAfter(id).next()
    if (!page?.isLast) return false
    await this.applyToStore(changesOf(page.changes, isConcerned))
    return true
  }

  async applyToStore(changes: StoreChanges): Promise<void> {
    const [failure] = await this.changes.apply(changes)
    if (failure) throw failure.error
  }

  /** Selects the sessions that are on this shard at the time of the call. */
  isOn(shard: string): IsConcerned {
    return sid => this.changes.shardOf(sid) === shard
  }
}
