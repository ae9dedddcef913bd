// node dev/run.mjs <entry> [args…]: prepares the checkout, then becomes `node <entry>`. In this same process,
// if its Node is supported: no second process to hold memory, pass signals to, or wait for.
import nodeModule from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepare, prepareDocsInBackground } from './prepare.mjs'
import { requireSupportedNode } from './supported-node.mjs'

const root = new URL('..', import.meta.url)
/** It also serves the documentation. */
const SERVICE = 'dist/joined/development.js'
const [node, , entry, ...args] = process.argv
if (!entry) {
  console.error('Usage: node dev/run.mjs <entry> [args…]')
  process.exit(2)
}

await requireSupportedNode()
prepare()
if (entry === SERVICE) prepareDocsInBackground()
process.env.NODE_ENV ??= 'development'
// So that a later start finds its modules compiled.
nodeModule.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/compiled', root)))
const path = fileURLToPath(new URL(entry, root))
process.argv = [node, path, ...args]
await import(pathToFileURL(path).href)
