import { defaultOf, REQUIRED, type Setting, type SettingsTable, type ValuesOf } from './setting.js'

/** Reads settings and collects every fault instead of stopping at the first. */
export class SettingSheet {
  readonly faults: string[] = []
  readonly warnings: string[] = []
  private readonly values = new Map<string, unknown>()

  constructor(
    private readonly texts: Readonly<Record<string, string | undefined>>,
    private readonly isProduction: boolean,
  ) {}

  /** The values of a table's settings; when one is missing or wrong, `undefined`, and the fault is noted. */
  read<T extends SettingsTable>(table: T): ValuesOf<T> {
    const values = Object.entries(table).map(([key, setting]) => [key, this.valueOf(setting)])
    return Object.fromEntries(values) as ValuesOf<T>
  }

  private valueOf(setting: Setting): unknown {
    const text = this.givenText(setting) || this.defaultText(setting)
    const value = text === undefined ? undefined : this.parse(setting, text)
    this.values.set(setting.name, value)
    return value
  }

  private givenText({ name, formerName }: Setting): string {
    const text = this.trimmed(name)
    const formerText = formerName ? this.trimmed(formerName) : ''
    if (formerText === '') return text
    if (text !== '') this.faults.push(`${formerName} is the old name of ${name}: set only ${name}`)
    else this.warnings.push(`${formerName} is now called ${name}; the old name will stop working`)
    return text || formerText
  }

  private trimmed(name: string): string {
    return this.texts[name]?.trim() ?? ''
  }

  /** Undefined when there is none, or when it is made of a setting that is itself missing or wrong. */
  private defaultText(setting: Setting): string | undefined {
    const text = defaultOf(setting, this.isProduction)
    if (text === REQUIRED) {
      this.faults.push(`${setting.name} is missing`)
      return undefined
    }
    const names = [...text.matchAll(/<([A-Z_]+)>/g)].map(([, name]) => name as string)
    if (names.some(name => this.values.get(name) === undefined)) return undefined
    return names.reduce(
      (whole, name) => whole.replace(`<${name}>`, () => String(this.values.get(name))),
      text,
    )
  }

  private parse({ name, read }: Setting, text: string): unknown {
    try {
      return read(text, this.isProduction)
    } catch (fault) {
      this.faults.push(`${name} ${(fault as Error).message}`)
      return undefined
    }
  }
}
