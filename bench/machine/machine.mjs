import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout: the service reads its migrations and its config from the folder it is started in. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Everything that a run writes. Gone when the process ends, however it ends short of a SIGKILL. */
export const FOLDER = mkdtempSync(join(tmpdir(), 'mainstay-bench-'))

/** What is measured has a core of its own; stores and load generator share the other. */
export const MEASURED_CORE = '0'
export const OTHER_CORE = '1'
export const BOTH_CORES = '0,1'

if (availableParallelism() < 2) throw new Error('The bench needs two cores: one is for what it measures')

process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true, maxRetries: 5 }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
