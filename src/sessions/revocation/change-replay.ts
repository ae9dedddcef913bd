import { RedisChanges } from '../stores/redis-changes.js'
import { changesOf, type StoreChanges } from '../stores/session-change.js'
import type { ChangeHistory, ChangePage } from './change-history.js'

const ROWS_A_PAGE = 10_000

/** Selects the sessions that a replay is about. */
export type IsConcerned = Parameters<typeof changesOf>[1]

/** Tells Redis of recorded changes again. Its methods throw when a shard does not accept them. */
export class ChangeReplay {
  constructor(
    private readonly history: ChangeHistory,
    private readonly changes: RedisChanges,
  ) {}

  /**
   * Repeats every change after this one; returns how many there were. `afterPage` runs while there are more.
   */
  async allAfter(
    id: number,
    isConcerned: IsConcerned = () => true,
    afterPage: () => Promise<unknown> = async () => {},
  ): Promise<number> {
    for (let count = 0, after = id; ; ) {
      const page = await this.pageAfter(after, isConcerned)
      count += page.count
      if (isLast(page)) return count
      after = page.lastId as number
      await afterPage()
    }
  }

  /** Repeats the changes after this one if they fit on one page; otherwise does nothing and returns false. */
  async fewAfter(id: number, isConcerned: IsConcerned): Promise<boolean> {
    const page = await this.history.pageAfter(id, ROWS_A_PAGE)
    if (!isLast(page)) return false
    await this.tell(changesOf(page.changes, isConcerned))
    return true
  }

  async tell(changes: StoreChanges): Promise<void> {
    const [failure] = await this.changes.apply(changes)
    if (failure) throw failure.error
  }

  /** The sessions that are on this shard at the time of asking. */
  isOn(shard: string): IsConcerned {
    return sid => this.changes.shardOf(sid) === shard
  }

  private async pageAfter(id: number, isConcerned: IsConcerned): Promise<ChangePage> {
    const page = await this.history.pageAfter(id, ROWS_A_PAGE)
    await this.tell(changesOf(page.changes, isConcerned))
    return page
  }
}

function isLast({ lastId, count }: ChangePage): boolean {
  return lastId === null || count < ROWS_A_PAGE
}
