/** A `like` pattern for what begins with the text, whatever characters it contains. */
export function startsWith(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}
