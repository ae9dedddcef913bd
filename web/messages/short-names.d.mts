export function shortNames(keys: readonly string[], sources: string): Map<string, string>
export function shorten(code: string, names: ReadonlyMap<string, string>): string
