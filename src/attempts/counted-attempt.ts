import type { Bucket } from './buckets.js'
import type { Added, Counters } from './counters.js'
import { offencesOf } from './growing-window.js'

/** An attempt that was let through. It counts, as right and as wrong, until something is said. */
export interface CountedAttempt {
  /** It was right: the account's counters of wrong ones begin anew, and it does not weigh on the others. */
  succeeded(): Promise<void>
  /** It was wrong. */
  failed(): Promise<void>
  /** It was not made, because something was down or busy: as if it had not been counted. */
  takeBack(): Promise<void>
}

export function countedAttempt(counters: Counters, buckets: readonly Bucket[], added: Added): CountedAttempt {
  const keysOf = (which: (bucket: Bucket) => boolean) => buckets.filter(which).map(({ key }) => key)
  const ofAccount = keysOf(({ isOfAccount }) => isOfAccount)
  const wrong = keysOf(({ counts, isOfAccount }) => counts === 'wrong' && !isOfAccount)
  const right = keysOf(({ counts }) => counts === 'right')
  return {
    succeeded: async () => {
      await Promise.all([
        counters.forget([...ofAccount, ...ofAccount.map(offencesOf)]),
        added.giveBack(key => wrong.includes(key)),
      ])
    },
    failed: async () => {
      if (right.length > 0) await added.giveBack(key => right.includes(key))
    },
    takeBack: () => added.giveBack(),
  }
}
