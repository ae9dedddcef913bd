/** `2026-11-24 (UTC)`: mails have no other time zone to go by. */
export function dayInWords(time: Date): string {
  return `${time.toISOString().slice(0, 10)} (UTC)`
}
