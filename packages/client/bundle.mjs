// node packages/client/bundle.mjs: the built client as one small file, for pages without a build of their own.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const fileIn = name => fileURLToPath(new URL(`dist/${name}`, import.meta.url))
await build({
  entryPoints: [fileIn('index.js')],
  outfile: fileIn('mainstay.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
})
