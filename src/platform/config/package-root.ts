import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of this package: what it ships is found from here, wherever the process was started. Only
 * relative paths in settings start at the working directory.
 */
export const PACKAGE_ROOT = rootOf(dirname(fileURLToPath(import.meta.url)))

/** The release, such as `1.4.0`. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')).version
}

/** This file is at a different depth in dist/ than in src/. */
function rootOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootOf(dirname(folder))
}
