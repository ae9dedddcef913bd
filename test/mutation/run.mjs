// npm run mutation [-- room…]: plants faults in our code, one at a time, and counts those that the tests notice. Prints a
// table; writes what went unnoticed to test-output/mutation/. What did not change since the last run is not run again;
// --anew forgets that. Exit code 1 when a room is below its bar.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { prepare } from '../../dev/prepare.mjs'
import { requireSupportedNode } from '../../dev/supported-node.mjs'
import { installSystemPackages } from '../system-packages.mjs'
import { markdownTable, scoresOf, survivorsOf } from './report.mjs'
import { ROOMS } from './rooms.mjs'
import { startServers } from './servers.mjs'

const BAR = 85
const root = fileURLToPath(new URL('../..', import.meta.url))
const output = `${root}test-output/mutation`

await requireSupportedNode()
const { positionals, values } = parseArgs({ allowPositionals: true, options: { anew: { type: 'boolean' } } })
const rooms = positionals.length > 0 ? positionals : Object.keys(ROOMS)
const unknown = rooms.filter(room => !(room in ROOMS))
if (unknown.length > 0) throw new Error(`${unknown} is not among the rooms: ${Object.keys(ROOMS).join(', ')}`)

process.chdir(root)
prepare()
await installSystemPackages()
installStryker()
setPriority(constants.priority.PRIORITY_LOW)
mkdirSync(output, { recursive: true })
const { Stryker } = await import('@stryker-mutator/core')

const isBelow = []
const stopServers = await startServers(root)
try {
  for (const room of rooms) {
    const startedAt = performance.now()
    const results = await mutate(room)
    const rows = scoresOf(room, results, root)
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
    const survivors = `${output}/${room}-survivors.txt`
    writeFileSync(survivors, survivorsOf(results, root).join('\n'))
    writeFileSync(`${output}/${room}.md`, `${markdownTable(rows)}\n`)
    console.log(`\n${markdownTable(rows)}\n\n${minutes} minutes; what went unnoticed is in ${survivors}\n`)
    if (Number.parseFloat(rows[0][1]) < BAR) isBelow.push(room)
  }
} finally {
  await stopServers()
}
if (isBelow.length > 0) console.log(`Below ${BAR} %: ${isBelow.join(', ')}`)
process.exit(isBelow.length > 0 ? 1 : 0)

function installStryker() {
  const read = path => existsSync(path) && readFileSync(path, 'utf8')
  const [wanted, installed] = ['package-lock.json', 'node_modules/.installed'].map(
    name => `${root}test/mutation/${name}`,
  )
  if (read(wanted) === read(installed)) return
  execFileSync('npm', ['ci', '--prefer-offline'], { cwd: `${root}test/mutation`, stdio: 'ignore' })
  copyFileSync(wanted, installed)
}

function mutate(room) {
  const { mutate, tests, ignoreStatic = false } = ROOMS[room]
  const incrementalFile = `${output}/${room}.json`
  if (values.anew) rmSync(incrementalFile, { force: true })
  return new Stryker({
    mutate,
    testRunner: 'jest-in-process',
    jestInProcess: { tests },
    ignorers: ['texts'],
    plugins: ['./test/mutation/jest-in-process.mjs', './test/mutation/ignored-texts.mjs'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    ignoreStatic,
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 30,
    incremental: true,
    incrementalFile,
    disableTypeChecks: false,
    ignorePatterns: [
      '/dist',
      '/web',
      '/bench',
      '/docs',
      '/deploy',
      '/data',
      '/test-output',
      '/test/mutation/node_modules',
    ],
    tempDirName: 'test-output/mutation/copies',
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
    allowConsoleColors: false,
    warnings: { unknownOptions: false },
    logLevel: 'warn',
  }).runMutationTest()
}
