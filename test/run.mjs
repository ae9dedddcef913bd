// npm test [-- jest's arguments]: installs what the tests run on, then runs them.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { prepare } from '../dev/prepare.mjs'
import { installSystemPackages } from './system-packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

prepare()
await installSystemPackages()

const jest = spawn(
  process.execPath,
  ['node_modules/jest/bin/jest.js', '--config', 'test/jest.config.mjs', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
)
// Ctrl-C reaches Jest from the terminal; what is sent to this process alone is passed on.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => jest.kill('SIGTERM'))
jest.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
