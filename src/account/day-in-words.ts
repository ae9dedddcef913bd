/** `2026-11-24 (UTC)`: we do not know the reader's time zone. */
export function dayInWords(time: Date): string {
  return `${time.toISOString().slice(0, 10)} (UTC)`
}
