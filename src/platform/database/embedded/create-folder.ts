import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartError } from '../../errors/start-error.js'

/**
 * The folder of the embedded database, with those above it; safe to repeat. Throws a {@link StartError} where it
 * cannot be: one step at a time, because Node's `recursive` tries forever in file systems such as /proc.
 */
export async function createFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  if (!existsSync(parent)) await createFolder(parent)
  try {
    await mkdir(folder)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    throw new StartError(
      `The database cannot be in this folder: ${message}; set another DATABASE_URL or DATA_DIR`,
      {
        cause,
      },
    )
  }
}
