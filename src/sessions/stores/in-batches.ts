/** How many commands are sent together, so that requests never wait long behind them. */
const AT_ONCE = 500

/** Splits what is to be sent to Redis into batches, in its order. */
export function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += AT_ONCE) yield all.slice(start, start + AT_ONCE)
}
