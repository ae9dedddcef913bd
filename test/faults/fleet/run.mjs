// npm run test:faults -- --rounds 500 [--seed 7] [--minutes 60]: the faults of a fleet at length. After each round what was
// seen so far is written to last-run.txt beside this file. npm run test:faults -- report: docs/reliability.md.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeReport } from '../reliability/report.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: '1000' },
  },
})
if (positionals[0] === 'report') process.exit(writeReport())
const { rounds, minutes, seed = String(Math.floor(Math.random() * 1e9)) } = values
if (![rounds, seed, minutes].every(text => /^\d+$/.test(text))) {
  console.error('--rounds, --seed and --minutes are whole numbers')
  process.exit(1)
}
const runTests = fileURLToPath(new URL('../../run.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [runTests, 'nightly', 'test/faults/fleet/'], {
  env: {
    ...process.env,
    FLEET_ROUNDS: rounds,
    FLEET_SEED: seed,
    FLEET_MINUTES: minutes,
    FLEET_REPORT: fileURLToPath(new URL('last-run.txt', import.meta.url)),
  },
  stdio: 'inherit',
})
process.exit(status ?? 1)
