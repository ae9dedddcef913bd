/** What another server has said, on one line and without what would move a terminal's cursor or colour its lines. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\p{Cc}/gu, '\ufffd')
}
