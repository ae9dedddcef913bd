import { ALL_SETTINGS } from '../../platform/config/reading/settings-table.js'

const HIDDEN = '•••'

/** Masks every secret of the settings, wherever an error from a server or library repeats one. */
export class Redaction {
  private readonly secrets: readonly string[]

  /** `texts` are the settings as they were given, by name. */
  constructor(texts: Readonly<Record<string, string | undefined>>) {
    const values = ALL_SETTINGS.filter(({ isSecret }) => isSecret).map(({ name }) => texts[name])
    const parts = values.flatMap(value => (value ? secretsIn(value.trim()) : []))
    // Longest first, so that no part of one is left.
    this.secrets = [...new Set(parts)]
      .filter(secret => secret !== '')
      .sort((one, other) => other.length - one.length)
  }

  apply(text: string): string {
    return this.secrets.reduce((safe, secret) => safe.replaceAll(secret, HIDDEN), text)
  }
}

/** The value and each item of a list; for a URL also its password, as written and decoded. */
function secretsIn(value: string): string[] {
  if (!/^[a-z+]+:/.test(value)) return [value, ...value.split(',').map(item => item.trim())]
  // A URL without a password reveals nothing but where a server is.
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
