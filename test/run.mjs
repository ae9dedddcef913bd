// npm test [-- jest's arguments]: installs what the tests run on, then runs them.
import { spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endWith } from '../dev/end-with.mjs'
import { prepare, prepareDocs } from '../dev/prepare.mjs'
import { requireSupportedNode } from '../dev/supported-node.mjs'
import { installSystemPackages } from './system-packages.mjs'

const ENOUGH_BYTES = 4 * 2 ** 30
const root = fileURLToPath(new URL('..', import.meta.url))
/** Workers and command lines load the same packages again and again. */
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/node')

await requireSupportedNode()
prepare()
prepareDocs()
await installSystemPackages()

const jest = spawn(
  process.execPath,
  ['node_modules/jest/bin/jest.js', '--config', 'test/jest.config.mjs', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { NODE_COMPILE_CACHE, ...process.env, TMPDIR: temporaryFolder() } },
)
await endWith(jest)

/** Databases live for a test file. In memory they start in half the time, where there is enough of it. */
function temporaryFolder() {
  const folder = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize > ENOUGH_BYTES) return folder
  } catch {
    // Not on this system.
  }
  return tmpdir()
}
