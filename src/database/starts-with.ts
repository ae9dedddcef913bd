/** A pattern of `like` for what begins with the text, whatever is in it. */
export function startsWith(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}
