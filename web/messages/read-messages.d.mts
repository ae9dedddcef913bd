/** One message file; `path` is where it is. */
export interface MessageFile {
  readonly language: string
  readonly path: string
  readonly messages: Readonly<Record<string, string>>
}

export function readMessages(folder: string): MessageFile[]
export function withOwnMessages(files: readonly MessageFile[], own: readonly MessageFile[]): MessageFile[]
export function faultsOf(files: readonly MessageFile[]): string[]
