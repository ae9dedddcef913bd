/** What another server has said, on one line and {@link printable}. */
export function inOneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '))
}

/** Without what would move a terminal's cursor or colour its lines. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd')
}
