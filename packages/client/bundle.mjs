// node packages/client/bundle.mjs: the built client as one small file, the hand-off and the passkeys as one
// each, for pages without a build of their own.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const fileIn = name => fileURLToPath(new URL(`dist/${name}`, import.meta.url))
await build({
  entryPoints: {
    mainstay: fileIn('index.js'),
    'mainstay-handoff': fileIn('handoff.js'),
    'mainstay-passkeys': fileIn('passkeys.js'),
  },
  outdir: fileIn(''),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
})
