import { stat } from 'node:fs/promises'

/** Throws an Error that names a folder, which reading it would not, or what is missing. */
export async function requireNoFolder(path: string): Promise<void> {
  if ((await stat(path)).isDirectory()) throw new Error(`${path} is a folder, not a file`)
}
