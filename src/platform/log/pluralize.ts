/** `1 line`, `2,000 lines`. */
export function pluralize(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
