/** The growing wait ends here (NIST SP 800-63B §3.2.2: "up to an hour"). */
const LONGEST_WAIT_SECONDS = 60 * 60
/** So long it is remembered how often a bucket was full. */
export const OFFENCES_SECONDS = 24 * 60 * 60

/** The key that counts how often the counter of this key was full. */
export function offencesOf(key: string): string {
  return `${key}:offences`
}

/** Twice as long after each time that it was full, up to an hour. */
export function grownWindow(windowSeconds: number, offences: number): number {
  return Math.min(windowSeconds * 2 ** offences, Math.max(windowSeconds, LONGEST_WAIT_SECONDS))
}
