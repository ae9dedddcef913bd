export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
  oneOf<T>(choices: readonly T[]): T
}

/** The same numbers for the same seed, so that a run that failed can be run again (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return { below, oneOf: choices => choices[below(choices.length)] as never }
}
