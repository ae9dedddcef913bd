/** One message file; `path` is where it is. */
export interface MessageFile {
  readonly language: string
  readonly path: string
  readonly messages: Readonly<Record<string, string>>
}

export function readMessages(folder: string): MessageFile[]
export function withOwnMessages(files: readonly MessageFile[], own: readonly MessageFile[]): MessageFile[]
export function faultsOf(files: readonly MessageFile[]): string[]
export function shortNames(keys: readonly string[], folders: readonly string[]): Map<string, string>
export function shorten(code: string, names: ReadonlyMap<string, string>): string
