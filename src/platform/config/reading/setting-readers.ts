import type { Bounds, SettingReader } from './setting.js'

export const asText: SettingReader<string> = text => text

/** Null when the setting is empty. */
export function orNull<T>(read: SettingReader<T>): SettingReader<T | null> {
  const readOrNull: SettingReader<T | null> = (text, isProduction) =>
    text === '' ? null : read(text, isProduction)
  return Object.assign(readOrNull, { ...(read.bounds && { bounds: read.bounds }) })
}

export function oneOf<T extends string>(...choices: readonly T[]): SettingReader<T> {
  return choiceOf(Object.fromEntries(choices.map(choice => [choice, choice])) as Record<T, T>)
}

/** What the chosen word stands for. */
export function choiceOf<T>(meanings: Readonly<Record<string, T>>): SettingReader<T> {
  const choices = Object.keys(meanings)
  const read = (text: string) => {
    if (!choices.includes(text)) throw new Error(`must be one of ${choices.join(', ')}`)
    return meanings[text] as T
  }
  return Object.assign(read, { choices })
}

/** Without `max`, any plausible count. */
export function wholeNumber(min: number, max: number | null = null): SettingReader<number> {
  return numberWithin({ min, max, unit: null })
}

export function seconds(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'seconds' })
}

export function milliseconds(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'milliseconds' })
}

export function days(min: number, max: number): SettingReader<number> {
  return numberWithin({ min, max, unit: 'days' })
}

/** Anything higher is a typo. */
const HIGHEST_COUNT = 1_000_000_000

function numberWithin(bounds: Bounds): SettingReader<number> {
  const { min } = bounds
  const max = bounds.max ?? HIGHEST_COUNT
  const read = (text: string) => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
  return Object.assign(read, { bounds })
}

/** Items separated by commas; none when the setting is empty. */
export function listOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return (text, isProduction) =>
    text
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
      .map(item => read(item, isProduction))
}

/** Like {@link listOf}, with one item at least. */
export function nonEmptyListOf<T>(read: SettingReader<T>): SettingReader<T[]> {
  return (text, isProduction) => {
    const items = listOf(read)(text, isProduction)
    if (items.length === 0) throw new Error('lists nothing')
    return items
  }
}

/** In lower case, which is what the pages compare. */
export const color: SettingReader<string> = text => {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error('must be a colour such as #3b4fd8')
  return text.toLowerCase()
}

/** Fits into a sentence, and into the subject of a mail. */
export const siteName: SettingReader<string> = text => {
  if (text.length > 60 || /\p{C}/u.test(text)) throw new Error('must be a name of at most 60 characters')
  return text
}

export function startingWith(...prefixes: string[]): SettingReader<string> {
  return text => {
    if (!prefixes.some(prefix => text.startsWith(prefix)))
      throw new Error(`must start with ${prefixes.join(' or ')}`)
    return text
  }
}

/**
 * A secret that starts with one of the `prefixes` and has at least `minLength` characters: never one from an
 * example, nor, in production, one of the payment sandbox's, which are published in config/development.env.
 */
export function secret(prefixes: readonly string[], minLength: number): SettingReader<string> {
  return (text, isProduction) => {
    if (isProduction && text.includes('payment_sandbox'))
      throw new Error('is a secret of the payment sandbox')
    startingWith(...prefixes)(text, isProduction)
    if (text.length < minLength || /changeme|example|x{8}/i.test(text))
      throw new Error(`must be a real secret of at least ${minLength} characters`)
    return text
  }
}
