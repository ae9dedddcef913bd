// node dev/run.mjs <entry> [args…]: prepares the checkout, then becomes `node <entry>`.
// In this very process, where its Node is supported: no second one to feed, to pass signals on to, or to wait for.
import nodeModule from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { prepare, prepareDocs } from './prepare.mjs'
import { requireSupportedNode } from './supported-node.mjs'

const root = new URL('..', import.meta.url)
/** It serves the documentation too. */
const SERVICE = 'dist/joined/development.js'
const [node, , entry, ...args] = process.argv
if (!entry) {
  console.error('Usage: node dev/run.mjs <entry> [args…]')
  process.exit(2)
}

await requireSupportedNode()
prepare()
if (entry === SERVICE) prepareDocs()
process.env.NODE_ENV ??= 'development'
// A later start finds its modules compiled.
nodeModule.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/compiled', root)))
const path = fileURLToPath(new URL(entry, root))
process.argv = [node, path, ...args]
await import(pathToFileURL(path).href)
