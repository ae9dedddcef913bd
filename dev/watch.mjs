// npm run dev: builds packages, pages and the API again as they change. The API restarts by itself, for a change of a
// package too; a page needs only a reload.
import { spawn } from 'node:child_process'
import { existsSync, utimesSync, watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endWith, requireSupportedNode } from './supported-node.mjs'

/** The packages that run in the API. */
const OF_API = ['verify', 'payment-sandbox']
const ENTRY = 'dist/dev/main.js'
/** A build writes many files. */
const SETTLED_AFTER_MS = 300

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
await requireSupportedNode()
const builders = [
  start('node_modules/typescript/bin/tsc', '-b', 'packages', '--watch', '--preserveWatchOutput'),
  start('web/build.mjs', '--watch'),
]
process.on('exit', () => {
  for (const builder of builders) builder.kill()
})
let timer
for (const name of OF_API)
  watch(`packages/${name}/dist`, { recursive: true }, (_, file) => {
    if (!file?.endsWith('.js')) return
    clearTimeout(timer)
    timer = setTimeout(restartApi, SETTLED_AFTER_MS)
  })
await endWith(start('node_modules/@nestjs/cli/bin/nest.js', 'start', '--watch', '--no-shell'))

function start(program, ...args) {
  return spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
}

/** Nest's command restarts what it has started when a file in dist/ changes. */
function restartApi() {
  if (existsSync(ENTRY)) utimesSync(ENTRY, new Date(), new Date())
}
