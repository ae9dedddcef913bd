import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than a mail is asked for on a machine that is not overloaded, shorter than anybody notices. */
const LEAST_MS = 100

/**
 * What `work` comes to, after a tenth of a second at the earliest: the ways through it differ by fractions of a
 * millisecond, which would tell those who ask often enough who has an account. Rejects at once.
 */
export async function notBefore<T>(work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, sleep(LEAST_MS)])
  return result
}
