// npm test [-- jest's arguments]: installs what the tests run on, then runs them.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endWith } from '../dev/end-with.mjs'
import { prepare } from '../dev/prepare.mjs'
import { requireSupportedNode } from '../dev/supported-node.mjs'
import { installSystemPackages } from './system-packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

await requireSupportedNode()
prepare()
await installSystemPackages()

const jest = spawn(
  process.execPath,
  ['node_modules/jest/bin/jest.js', '--config', 'test/jest.config.mjs', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
)
await endWith(jest)
