// node packages/client/bundle.mjs <folder>: the client of that folder as one small file, for pages without a build of their own.
import { join } from 'node:path'
import { build } from 'esbuild'

const folder = process.argv[2]
await build({
  entryPoints: [join(folder, 'index.js')],
  outfile: join(folder, 'mainstay.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
})
