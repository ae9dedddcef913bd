/** Reads a setting's text; throws an Error whose message completes the sentence "<NAME> …". */
export type SettingReader<T> = (text: string) => T

/** Reads all settings and collects every fault instead of stopping at the first. */
export class SettingSheet {
  readonly faults: string[] = []
  private readonly seen = new Set<string>()

  constructor(private readonly texts: Readonly<Record<string, string | undefined>>) {}

  /** The setting; when it is missing or wrong, `undefined`, and the fault is noted. */
  required<T>(name: string, read: SettingReader<T>): T {
    const text = this.text(name)
    if (text === '') {
      this.faults.push(`${name} is missing`)
      return undefined as T
    }
    return this.read(name, text, read)
  }

  /** The setting, or `fallback` when it is missing or empty. */
  optional<T, F>(name: string, read: SettingReader<T>, fallback: F): T | F {
    const text = this.text(name)
    return text === '' ? fallback : this.read(name, text, read)
  }

  /** The given names that no reader has asked for. */
  neverRead(names: readonly string[]): string[] {
    return names.filter(name => !this.seen.has(name))
  }

  private text(name: string): string {
    this.seen.add(name)
    return this.texts[name]?.trim() ?? ''
  }

  private read<T>(name: string, text: string, read: SettingReader<T>): T {
    try {
      return read(text)
    } catch (fault) {
      this.faults.push(`${name} ${(fault as Error).message}`)
      return undefined as T
    }
  }
}
