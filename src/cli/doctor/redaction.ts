import { ALL_SETTINGS } from '../../config/settings-table.js'

const HIDDEN = '•••'

/** Writes over every secret of the settings, wherever an error of a server or library repeats one. */
export class Redaction {
  private readonly secrets: readonly string[]

  /** `texts` are the settings as they were given, by name. */
  constructor(texts: Readonly<Record<string, string | undefined>>) {
    const values = ALL_SETTINGS.filter(({ isSecret }) => isSecret).flatMap(({ name, formerName }) => [
      texts[name],
      formerName && texts[formerName],
    ])
    const parts = values.flatMap(value => (value ? secretsIn(value.trim()) : []))
    // The longest first, so that none is left in part.
    this.secrets = [...new Set(parts)]
      .filter(secret => secret !== '')
      .sort((one, other) => other.length - one.length)
  }

  apply(text: string): string {
    return this.secrets.reduce((safe, secret) => safe.replaceAll(secret, HIDDEN), text)
  }
}

/** The value, each item of a list, and of an address its password as it is written and as it is meant. */
function secretsIn(value: string): string[] {
  if (!/^[a-z+]+:/.test(value)) return [value, ...value.split(',').map(item => item.trim())]
  // An address without a password tells nothing but where a server is.
  const passwords = [/^[a-z+]+:\/\/[^@/?#]*?:([^@/?#]*)@/, /[?&]password=([^&]*)/].flatMap(
    pattern => pattern.exec(value)?.[1] ?? [],
  )
  return passwords.length === 0 ? [] : [value, ...passwords.flatMap(text => [text, decoded(text)])]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
