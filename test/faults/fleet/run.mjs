// npm run test:faults -- --rounds 200 [--seed 7]: the faults of a fleet at length.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string' } },
})
const { rounds, seed = String(Math.floor(Math.random() * 1e9)) } = values
if (![rounds, seed].every(text => /^\d+$/.test(text))) {
  console.error('--rounds and --seed are whole numbers')
  process.exit(1)
}
const runTests = fileURLToPath(new URL('../../run.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [runTests, 'test/faults/fleet/'], {
  env: { ...process.env, FLEET_ROUNDS: rounds, FLEET_SEED: seed },
  stdio: 'inherit',
})
process.exit(status ?? 1)
