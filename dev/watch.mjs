// npm run dev: builds packages, pages and the API again as they change. The API restarts by itself, for a change of a
// package too; a page needs only a reload.
import { spawn } from 'node:child_process'
import { existsSync, utimesSync, watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { copyClientFiles } from '../web/client-files.mjs'
import { endWith, requireSupportedNode } from './supported-node.mjs'

/** The packages that run in the API. */
const OF_API = ['verify', 'payment-sandbox']
/** What bundle.mjs makes in packages/client/dist, beside what it is made of. */
const BUNDLE = /^mainstay(?!-error\.)/
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
for (const name of OF_API) onBuilt(name, () => true, restartApi)
onBuilt('client', file => !BUNDLE.test(file), bundleClient)
// On any other signal Nest's command would leave the API behind.
await endWith(start('node_modules/@nestjs/cli/bin/nest.js', 'start', '--watch', '--no-shell'), 'SIGTERM')

function start(program, ...args) {
  return spawn(process.execPath, [program, ...args], { stdio: 'inherit' })
}

/** Calls `then` once a build of this package has written all its JavaScript, if it wrote any that `counts`. */
function onBuilt(name, counts, then) {
  let timer
  watch(`packages/${name}/dist`, { recursive: true }, (_, file) => {
    if (!file?.endsWith('.js') || !counts(file)) return
    clearTimeout(timer)
    timer = setTimeout(then, SETTLED_AFTER_MS)
  })
}

/** The API reads the bundles when it starts. */
function bundleClient() {
  start('packages/client/bundle.mjs').on('exit', code => {
    if (code !== 0) return
    copyClientFiles('web/dist/')
    restartApi()
  })
}

/** Nest's command restarts what it has started when a file in dist/ changes. */
function restartApi() {
  if (existsSync(ENTRY)) utimesSync(ENTRY, new Date(), new Date())
}
