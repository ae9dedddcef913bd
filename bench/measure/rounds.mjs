/** Short rounds in turn: the machine's mood changes slowly, so what is compared is measured close together. */
export const ROUNDS = 5
export const SECONDS = 3
const WARM_UP_SECONDS = 8

/**
 * Runs `contestants` ({ name: seconds => measurement }) in turn, forwards and backwards, after a warm-up of
 * each that does not count. Gives back { name: [measurement of each round] }.
 */
export async function inTurn(
  contestants,
  { rounds = ROUNDS, seconds = SECONDS, warmUpSeconds = WARM_UP_SECONDS } = {},
) {
  const names = Object.keys(contestants)
  for (const name of names) await contestants[name](warmUpSeconds)
  const measured = Object.fromEntries(names.map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const name of order) measured[name].push(await contestants[name](seconds))
  }
  return measured
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The median of the ratios of each round: a slow round slows both. */
export function medianRatio(ours, theirs) {
  return median(ours.map((value, round) => value / theirs[round]))
}
