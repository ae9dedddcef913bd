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
  readonly unit: 'seconds' | 'milliseconds' | null
}

/** The default of a setting that has none: the service does not start without a value. */
export const REQUIRED = Symbol('required')

/** As written in the environment; `<NAME>` stands for the value of a setting listed earlier. */
export type DefaultText = string | typeof REQUIRED

/** One row of the settings table. */
export interface Setting<T = unknown> {
  readonly name: string
  /** The name in earlier versions, which is still read, with a warning. */
  readonly formerName?: string
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
