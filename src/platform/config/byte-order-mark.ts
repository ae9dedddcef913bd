/** The text of a file without the mark that some editors, mostly on Windows, put in front of it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
