import { CountedAction } from '../../src/rate-limits/counted-action.js'
import type { Counters } from '../../src/rate-limits/counters.js'

/** For tests that do more than the limits allow: no counter counts it. */
export const UNCOUNTED = new CountedAction({ forget: async () => {} } as unknown as Counters, [], {
  counts: [],
  refund: async () => {},
})
