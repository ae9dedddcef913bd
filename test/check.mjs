// npm run check: format, lint, types, import rules, the API's document and code that nothing reads, side by side. Says
// more only about what failed.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { install } from '../dev/prepare.mjs'
import { requireSupportedNode } from '../dev/supported-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const checks = {
  'format and lint': ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'],
  types: [
    'node_modules/typescript/bin/tsc',
    ...['-p', 'test/tsconfig.json'],
    // What did not change is not looked at again.
    ...['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/check/types.tsbuildinfo'],
  ],
  'types of the pages': [
    'node_modules/typescript/bin/tsc',
    ...['-p', 'web/tsconfig.json'],
    ...['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/check/pages.tsbuildinfo'],
  ],
  'import rules': ['test/import-rules.mjs'],
  'rules of OpenAPI': ['test/openapi-rules.mjs'],
  'messages of the pages': ['web/messages/check.mjs'],
  'nothing unused': ['node_modules/knip/bin/knip.js', '--config', 'test/knip.json', '--no-progress'],
}

await requireSupportedNode()
install()
mkdirSync(`${root}node_modules/.cache/check`, { recursive: true })
const startedAt = performance.now()
const results = await Promise.all(Object.entries(checks).map(([name, command]) => run(name, command)))
const failed = results.filter(result => result.code !== 0)
for (const { name, code, output } of failed)
  console.log(`── ${name}\n${output.trim() || `exit code ${code}`}\n`)

const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
const names = list => list.map(result => result.name).join(', ')
console.log(
  failed.length === 0
    ? `check: ${names(results)} hold (${seconds} s)`
    : `check: ${names(failed)} FAILED (${seconds} s)`,
)
process.exit(failed.length === 0 ? 0 : 1)

function run(name, [script, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', code => resolve({ name, code, output }))
  })
}
