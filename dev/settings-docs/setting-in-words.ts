import { defaultOf, REQUIRED, type Setting } from '../../src/platform/config/setting.js'

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
]

/** What the setting means and accepts, as full sentences in Markdown. */
export function meaningOf(setting: Setting): string {
  const allowed = allowedValues(setting)
  return `${setting.meaning}.${allowed && ` Allowed: ${allowed}.`}${setting.isSecret ? ' Keep it secret.' : ''}`
}

function allowedValues({ read: { bounds, choices } }: Setting): string {
  if (choices) return choices.map(choice => `\`${choice}\``).join(', ')
  if (!bounds || bounds.max === null) return ''
  const inUnit = (number: number) => `${number}${durationNote(String(number), bounds.unit)}`
  return `${inUnit(bounds.min)} to ${inUnit(bounds.max)}`
}

/** The default in Markdown: "required", a value, or what an empty value means. */
export function defaultInWords(setting: Setting): string {
  const production = oneDefaultInWords(setting, true)
  const otherwise = oneDefaultInWords(setting, false)
  return production === otherwise ? production : `${production}; in development ${otherwise}`
}

/** The default in production or elsewhere, in Markdown. */
export function oneDefaultInWords(setting: Setting, isProduction: boolean): string {
  const text = defaultOf(setting, isProduction)
  if (text === REQUIRED) return 'required'
  if (text === '') return setting.defaultInWords ? `empty: ${setting.defaultInWords}` : 'empty'
  return setting.defaultInWords ?? `\`${text}\`${durationNote(text, setting.read.bounds?.unit)}`
}

/** " (15 minutes)" for 900 seconds; nothing where the number is just as readable without. */
function durationNote(text: string, unit: string | null | undefined): string {
  if (unit !== 'seconds') return ''
  const [name, length] = UNITS.find(([, seconds]) => Number(text) % seconds === 0) ?? []
  const count = length ? Number(text) / length : 0
  return count === 0 ? '' : ` (${count} ${name}${count === 1 ? '' : 's'})`
}
