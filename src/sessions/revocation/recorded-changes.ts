import { mergeChanges, NO_CHANGES, type StoreChanges } from '../stores/session-store.js'

/** Changes that are committed in the database, to be applied to the store. */
export interface RecordedChanges {
  readonly changes: StoreChanges
  /** How many live sessions they end. */
  readonly ended: number
  /**
   * What follows the commit, such as a mail that nobody could send again: also when the store is unreachable,
   * never when the transaction rolls back.
   */
  readonly afterCommit?: AfterCommit
}

export type AfterCommit = () => void | Promise<void>

/** For a change that affects no session. */
export const NOTHING_RECORDED: RecordedChanges = { changes: NO_CHANGES, ended: 0 }

/** What two steps of one change have recorded, the first one first. */
export function mergeRecorded(one: RecordedChanges, other: RecordedChanges): RecordedChanges {
  return {
    changes: mergeChanges(one.changes, other.changes),
    ended: one.ended + other.ended,
    afterCommit: async () => {
      await one.afterCommit?.()
      await other.afterCommit?.()
    },
  }
}

/** The same changes, with one more thing that follows the commit. */
export function followedBy(recorded: RecordedChanges, afterCommit: AfterCommit): RecordedChanges {
  return mergeRecorded(recorded, { ...NOTHING_RECORDED, afterCommit })
}
