import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than requesting a mail takes on a machine that is not overloaded, and too short to notice. */
const MIN_MS = 100

/**
 * The result of `work`, after a tenth of a second at the earliest. The paths through it differ by fractions
 * of a millisecond, which would eventually reveal who has an account. Rejects at once.
 */
export async function withMinimumDuration<T>(work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, sleep(MIN_MS)])
  return result
}

/** Like {@link withMinimumDuration}, where only a rejection must not reveal by its time why it rejects. Resolves at once. */
export async function rejectedNoSooner<T>(work: Promise<T>): Promise<T> {
  const earliest = sleep(MIN_MS)
  try {
    return await work
  } catch (error) {
    await earliest
    throw error
  }
}
