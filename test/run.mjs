// npm test, test:quick, test:rest, test:all, test:nightly [-- paths and other arguments of Jest]: gets what the tests of
// that tier run on, then runs them. docs/testing.md says which are which; test/runner/tiers.mjs decides it.
import { spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from '../dev/prepare.mjs'
import { endWith, requireSupportedNode } from '../dev/supported-node.mjs'
import { installSystemPackages, missingServers } from './system-packages.mjs'

const ENOUGH_BYTES = 4 * 2 ** 30
const root = fileURLToPath(new URL('..', import.meta.url))
/** Workers and command lines load the same packages again and again. */
const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/node')
const [tier, ...args] = process.argv.slice(2)

await requireSupportedNode()
install()
if (tier !== 'fast' && tier !== 'quick') await installSystemPackages(tier)
const missing = missingServers()
if (missing.length > 0)
  console.error(
    `${missing.join(' and ')} not found: the service runs on its embedded database here, and tests of what only a server\n` +
      'can do are skipped. npm run test:all installs them on Debian.',
  )

const jest = spawn(
  process.execPath,
  ['node_modules/jest/bin/jest.js', '--config', 'test/jest.config.mjs', ...args],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      NODE_COMPILE_CACHE,
      ...process.env,
      TMPDIR: temporaryFolder(),
      TEST_TIER: tier,
      TEST_SERVERS: missing.length > 0 ? '' : 'yes',
    },
  },
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
