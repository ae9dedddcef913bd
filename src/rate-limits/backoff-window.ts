/** The longest window (NIST SP 800-63B §3.2.2: "up to an hour"). */
const LONGEST_WAIT_SECONDS = 60 * 60
/** How long we remember how often a bucket was full. */
export const TIMES_FULL_SECONDS = 24 * 60 * 60

/** The key that counts how often this counter was full. */
export function timesFullKey(key: string): string {
  return `${key}:offences`
}

/** Twice as long each time the counter was full, up to an hour. */
export function backoffWindow(windowSeconds: number, offences: number): number {
  return Math.min(windowSeconds * 2 ** offences, Math.max(windowSeconds, LONGEST_WAIT_SECONDS))
}
