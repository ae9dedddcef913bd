/** A message as the build compiles it: a text, or a list of texts and values. */
export type CompiledMessage = string | readonly (string | Value)[]

/** `["count", "plural", { one: ["#", " day"], other: ["#", " days"] }]`; a plain value has only its name. */
type Value = readonly [name: string, type?: string, cases?: Readonly<Record<string, CompiledMessage>>]

/** A message with its values filled in. `count` takes the place of `#`, which in a plural is the number itself. */
export function fillIn(
  message: CompiledMessage,
  values: Readonly<Record<string, string | number>>,
  locale: string,
  count = '#',
): string {
  if (typeof message === 'string') return message
  const partOf = (part: string | Value): string => {
    if (part === '#') return count
    if (typeof part === 'string') return part
    const [name, type, cases] = part
    const value = values[name] ?? ''
    const text = typeof value === 'number' && type ? value.toLocaleString(locale) : `${value}`
    if (!cases) return text
    const isNamed = Object.hasOwn(cases, value)
    const other = type === 'plural' ? new Intl.PluralRules(locale).select(Number(value)) : 'other'
    return fillIn((isNamed ? cases[value] : (cases[other] ?? cases.other)) ?? '', values, locale, text)
  }
  return message.map(partOf).join('')
}
