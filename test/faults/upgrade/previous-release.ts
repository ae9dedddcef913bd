import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ARCHIVE = join(process.cwd(), 'test/faults/upgrade/previous-release.tgz')

/**
 * The folder of the release that is out, which keep-release.mjs has kept; unpacked once. It is below this checkout's
 * node_modules, so it runs on the packages there, but has its own @mainstay-auth/verify.
 */
export function previousRelease(): string {
  const digest = createHash('sha256').update(readFileSync(ARCHIVE)).digest('hex').slice(0, 12)
  const folder = join(process.cwd(), 'node_modules/.cache/previous-release', digest)
  if (existsSync(folder)) return folder
  const unpacked = `${folder}.${randomUUID()}`
  mkdirSync(unpacked, { recursive: true })
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', unpacked])
  try {
    renameSync(unpacked, folder)
  } catch {
    // Another test was quicker.
    rmSync(unpacked, { recursive: true })
  }
  return folder
}
