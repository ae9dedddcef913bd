import { timesFullKey } from './backoff-window.js'
import type { Bucket } from './buckets.js'
import type { Added, Counters } from './counters.js'

/** An attempt that was let through. Until its outcome is reported, it counts both as right and as wrong. */
export interface CountedAttempt {
  /** It was right: resets the account's counters and no longer counts against others. */
  succeeded(): Promise<void>
  /** It was wrong. */
  failed(): Promise<void>
  /** It was not made, because a part was down or busy; takes it off again. */
  refund(): Promise<void>
}

export function countedAttempt(counters: Counters, buckets: readonly Bucket[], added: Added): CountedAttempt {
  const keysOf = (which: (bucket: Bucket) => boolean) => buckets.filter(which).map(({ key }) => key)
  const ofAccount = keysOf(({ isOfAccount }) => isOfAccount)
  const wrong = keysOf(({ counts, isOfAccount }) => counts === 'wrong' && !isOfAccount)
  const right = keysOf(({ counts }) => counts === 'right')
  return {
    succeeded: async () => {
      await Promise.all([
        counters.forget([...ofAccount, ...ofAccount.map(timesFullKey)]),
        added.refund(key => wrong.includes(key)),
      ])
    },
    failed: async () => {
      if (right.length > 0) await added.refund(key => right.includes(key))
    },
    refund: () => added.refund(),
  }
}
