export function shortNames(keys: readonly string[], folders: readonly string[]): Map<string, string>
export function shorten(code: string, names: ReadonlyMap<string, string>): string
