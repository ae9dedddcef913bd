import { CountedAction, type Counters } from '../sources.js'

/** For tests that do more than the limits allow: no counter counts it. */
export const UNCOUNTED = new CountedAction(
  { forget: async () => {}, takeOff: async () => {} } as unknown as Counters,
  [],
)
