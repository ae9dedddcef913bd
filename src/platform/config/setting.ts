/**
 * Reads a setting's text; throws an Error whose message completes the sentence "<NAME> …". Some settings are
 * read more strictly in production.
 */
export interface SettingReader<T> {
  (text: string, isProduction: boolean): T
  readonly bounds?: Bounds
  /** The only texts it takes. */
  readonly choices?: readonly string[]
}

/** The whole numbers that a setting takes, both ends included. */
export interface Bounds {
  readonly min: number
  /** Null where nothing but good sense limits it. */
  readonly max: number | null
  /** The suffix of the setting's name says the same. */
  readonly unit: 'seconds' | 'milliseconds' | 'days' | null
}

/** The default of a setting that has none: the service does not start without a value. */
export const REQUIRED = Symbol('required')

/** As written in the environment; `<NAME>` stands for the value of a setting listed earlier. */
type DefaultText = string | typeof REQUIRED

/** One row of the settings table. */
export interface Setting<T = unknown> {
  readonly name: string
  readonly read: SettingReader<T>
  readonly default: DefaultText | { readonly production: DefaultText; readonly otherwise: DefaultText }
  /** For a default that its text does not explain: where it comes from, or what an empty value means. */
  readonly defaultInWords?: string
  /** For operators: one sentence without its full stop, in Markdown. */
  readonly meaning: string
  /** Whether the value is a secret or may contain one. No example shows it, and neither does a fault. */
  readonly isSecret?: true
  /** The values in the env examples where they differ from the default; null leaves the setting out. */
  readonly examples?: { readonly development?: string | null; readonly production?: string | null }
}

/** Settings by the name that the code has for them. */
export type SettingsTable = Readonly<Record<string, Setting>>

/** What reading a table gives. */
export type ValuesOf<T extends SettingsTable> = { readonly [K in keyof T]: ReturnType<T[K]['read']> }

/** The default in production or elsewhere. */
export function defaultOf(setting: Setting, isProduction: boolean): DefaultText {
  const { default: text } = setting
  if (typeof text !== 'object') return text
  return isProduction ? text.production : text.otherwise
}

/** The end of the fault of a required setting without a value. */
export const IS_MISSING = ' is missing'

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

  /** Whether a value was given for one of the table's settings. */
  hasAnyOf(table: SettingsTable): boolean {
    return Object.values(table).some(({ name }) => this.texts[name]?.trim())
  }

  private valueOf(setting: Setting): unknown {
    const text = this.texts[setting.name]?.trim() || this.defaultText(setting)
    const value = text === undefined ? undefined : this.parse(setting, text)
    this.values.set(setting.name, value)
    return value
  }

  /** Undefined when there is none, or when it depends on a setting that is itself missing or wrong. */
  private defaultText(setting: Setting): string | undefined {
    const text = defaultOf(setting, this.isProduction)
    if (text === REQUIRED) {
      this.faults.push(`${setting.name}${IS_MISSING}`)
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
