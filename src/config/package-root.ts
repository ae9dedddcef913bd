import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of this package: what it ships is found from here, wherever the process was started. Only
 * relative paths in settings start at the working directory.
 */
export const PACKAGE_ROOT = rootOf(dirname(fileURLToPath(import.meta.url)))

/** This file is at a different depth in dist/ than in src/. */
function rootOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootOf(dirname(folder))
}
