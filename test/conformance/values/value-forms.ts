import type { Value } from './fill-in.js'

const DASH_13_DIGITS_IN = 14

/** What `.name` behind a value makes of it. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  upper: text => text.toUpperCase(),
  host: origin => new URL(origin).host,
  'dotless-i': text => text.replace('i', '\u0131'),
  'fullwidth-at': text => text.replace('@', '\uff20'),
  zwsp: text => `${text[0]}\u200b${text.slice(1)}`,
  nfd: decomposed,
  first72bytes: text => Buffer.from(text).subarray(0, 72).toString(),
  nodashes: uuid => uuid.replaceAll('-', ''),
  v1: uuid => `${uuid.slice(0, DASH_13_DIGITS_IN)}1${uuid.slice(DASH_13_DIGITS_IN + 1)}`,
}

/** `value` in another form; throws for one that nobody knows. */
export function inForm(form: string, value: Value): string {
  const change = FORMS[form]
  if (!change) throw new Error(`The runner does not know the form .${form}`)
  return change(String(value))
}

/** ASCII has no decomposed form: it gets an accent, which a careless comparison would drop again. */
function decomposed(text: string): string {
  const nfd = text.normalize('NFD')
  return nfd === text ? text.replace('i', 'i\u0301') : nfd
}
