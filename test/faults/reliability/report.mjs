import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DOCUMENT = join(ROOT, 'docs/reliability.md')
const PLACE = /<!-- faults -->.*<!-- end of faults -->/s

/** Runs the tests of the matrix and writes the table of docs/reliability.md. Gives back the exit code of the tests. */
export function writeReport() {
  const faults = JSON.parse(readFileSync(new URL('matrix.json', import.meta.url), 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-reliability-'))
  const results = join(folder, 'seen.jsonl')
  writeFileSync(results, '')
  try {
    const tests = faults.flatMap(({ test }) => (test ? [test] : []))
    const files = new Set(tests.map(({ file }) => file))
    const names = tests.map(({ name }) => patternOf(name)).join('|')
    const args = ['test/run.mjs', 'any', '--maxWorkers=1', '--testNamePattern', names, ...files]
    const { status } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, RELIABILITY_FILE: results },
      stdio: 'inherit',
    })
    if (status !== 0) return status ?? 1
    const seen = readFileSync(results, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const document = readFileSync(DOCUMENT, 'utf8')
    writeFileSync(
      DOCUMENT,
      document.replace(PLACE, () => section(faults, seen)),
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Of the whole test name or its end; `%s` stands for what a table of cases puts there. */
function patternOf(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '.*')
}

function section(faults, seen) {
  const day = new Date().toISOString().slice(0, 10)
  const rows = faults.map(
    fault =>
      `| ${cells(
        fault,
        seen.filter(({ id }) => id === fault.id),
      ).join(' | ')} |`,
  )
  return [
    '<!-- faults -->',
    `Written by \`npm run test:faults -- report\` on ${day}, ${cpus().length} cores (${cpus()[0].model.trim()}).`,
    '',
    '| fault | what happens | status | answered within | served again within | lost | test |',
    '|---|---|---|--:|--:|--:|---|',
    ...rows,
    '<!-- end of faults -->',
  ].join('\n')
}

function cells({ id, fault, happens, test, measures }, seen) {
  if (!test) return [fault, ['no test', happens].filter(Boolean).join(': '), '', '', '', '', '']
  if (measures.length > 0 && seen.length === 0) throw new Error(`no test has seen ${id}`)
  const values = name => (measures.includes(name) ? seen.map(one => one[name]) : null)
  const longest = name => duration(values(name))
  const lost = values('lost')?.reduce((sum, one) => sum + one, 0)
  const where = `\`${test.file.replace(/^test\//, '')}\`: ${test.name}`
  return [
    fault,
    happens,
    [...new Set(values('status') ?? [])].join(', '),
    longest('answeredMs'),
    longest('recoveredMs'),
    lost ?? '',
    where,
  ]
}

/** The longest of these milliseconds. */
function duration(times) {
  if (!times) return ''
  const most = Math.max(...times)
  return most < 1_000 ? `${Math.ceil(most)} ms` : `${(most / 1_000).toFixed(1)} s`
}
